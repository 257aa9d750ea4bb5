import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as fs from "node:fs";
import * as path from "node:path";
import { stoppedLabel } from "../../controlPlane/stoppedLabel";
import { type ObjectWatch, watchObjects } from "../../watchObjects";
import { podObjects, volumeFolder } from "../containers/podObjects";
import { servedPorts } from "../podListeners";
import { containerLogs } from "../kubernetes/containerLogs";
import { portForwards } from "../kubernetes/portForwards";
import type { Binaries, ProcessMember } from "./binaries";
import type { Namespaces } from "./checkMachine";
import { hostsFiles, type NamedPod, type NamedService, namedService } from "./hostsFile";
import { type PodAddress, podNetwork } from "./podNetwork";
import { podReports } from "./podReports";
import { type PodProgram, type PodWorker, podWorker } from "./podWorker";

/** Where and how pods run as processes. */
export interface ProcessesOptions {
    binaries: Binaries;
    namespaces: Namespaces;
    /** The number of the network of the pods' loopback addresses. */
    network: number;
    /** A folder for the pods' files. */
    folder: string;
    /** The folder with the folders of volumes. */
    volumes: string;
    /** The folder of the files with the ids of processes that end with the sandbox. */
    processIds: string;
    /** The URL of the API server. */
    server: string;
    /** Receives the reasons why containers are not run, and errors after which the sandbox tries again. */
    log: (line: string) => void;
}

/** The pods of a sandbox that run as processes. */
export interface SandboxProcesses {
    /** The loopback address of a pod. Undefined if it does not run. */
    address(namespace: string, pod: string): string | undefined;
    /** Sends a signal to a pod's own container. It is started again if it ends. */
    signal(namespace: string, pod: string, name: NodeJS.Signals): void;
    /** Has the containers of a pod that was deleted wait for `look`, before they are stopped. */
    beforeStop(look: (pod: k8s.V1Pod, address: string) => Promise<void>): void;
    /** The file that lists the names of Services and pods with their addresses, as `/etc/hosts` of the pods of a namespace. */
    hosts(namespace: string): string;
    stop(): Promise<void>;
}

const podSelector = "app.kubernetes.io/name=tidb-cluster";

/** Returns the components whose pods run as processes: those that have a program, and discovery, which PD needs. */
export function processComponents({ members }: Binaries): readonly string[] {
    return [...members, "discovery"];
}

/** Starts to run the pods of members that have a program, as a kubelet would. */
export async function startPodProcesses(
    kubeconfigFile: string,
    {
        binaries,
        namespaces,
        network: number,
        folder,
        volumes: volumesFolder,
        processIds,
        server,
        log,
    }: ProcessesOptions,
): Promise<SandboxProcesses> {
    const client = await import("@kubernetes/client-node");
    const kubeconfig = new client.KubeConfig();
    kubeconfig.loadFromFile(kubeconfigFile);
    const core = kubeconfig.makeApiClient(client.CoreV1Api);
    const objects = podObjects(client, core, volumesFolder);
    const network = podNetwork(number);
    const reports = podReports(client, core, log);
    const serveLogs = containerLogs(client, kubeconfig);
    const forwards = portForwards(client, kubeconfig);
    const components = new Set(processComponents(binaries));
    const known = new Map<string, PodWorker>();
    const services = new Map<string, NamedService>();
    const stoppedNodes = new Set<string>();
    const { hostname, port } = new URL(server);
    const variables = {
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port,
        KUBERNETES_SERVICE_PORT_HTTPS: port,
        // TiKV's gRPC then reads /etc/hosts.
        GRPC_DNS_RESOLVER: "native",
    };
    let lookBeforeStop = (_pod: k8s.V1Pod, _address: string): Promise<void> => Promise.resolve();

    const names = hostsFiles(folder, log);
    const writeNames = (): void => names.write([...known.values()].map(namedPod), [...services.values()]);
    const forward = async (pod: k8s.V1Pod, { loopback }: PodAddress): Promise<void> => {
        // Kubernetes forwards every port, KWOK only those that are named, and a TiKV does not declare that of its status.
        const declared = (pod.spec?.containers ?? []).flatMap((one) => one.ports ?? []);
        const status: number | undefined = (servedPorts as Record<string, number>)[componentOf(pod)];
        const ports = new Set([
            ...declared.map(({ containerPort }) => containerPort),
            ...(status === undefined ? [] : [status]),
        ]);
        await forwards.send(
            pod.metadata?.namespace ?? "",
            pod.metadata?.name ?? "",
            [...ports].map((port) => ({ podPort: port, loopbackPort: port, address: loopback })),
        );
    };
    const programOf = (pod: k8s.V1Pod): PodProgram => {
        const member = componentOf(pod);
        const containers = pod.spec?.containers ?? [];
        const { name, image = "" } = containers.find((one) => one.name === member) ?? containers[0];
        if (member === "discovery") {
            return { found: undefined };
        }
        const found = binaries.find(member as ProcessMember, image);
        return found === undefined
            ? { container: name, missing: binaries.missing(member as ProcessMember, image) }
            : { found };
    };
    const startWorker = (first: k8s.V1Pod): PodWorker => {
        const { name = "", namespace = "", uid = "" } = first.metadata ?? {};
        const address = network.known(first.status?.podIP ?? "") ?? network.next();
        return podWorker(first, {
            address,
            reports,
            hasNode: ({ spec }) => !stoppedNodes.has(spec?.nodeName ?? ""),
            program: programOf,
            expose: (pod) => {
                writeNames();
                return forward(pod, address);
            },
            look: (pod) => lookBeforeStop(pod, address.loopback),
            changed: writeNames,
            run: {
                namespaces,
                hosts: names.file(namespace),
                folder: path.join(folder, uid),
                processIds,
                objects,
                variables,
                serveLogs: (files) => serveLogs(first, files),
                log: (line) => log(`${namespace}/${name}: ${line}`),
            },
        });
    };
    const onPod = (pod: k8s.V1Pod): void => {
        const { uid = "" } = pod.metadata ?? {};
        if (!components.has(componentOf(pod)) || pod.spec?.nodeName === undefined) {
            return;
        }
        const one = known.get(uid);
        if (one === undefined) {
            known.set(uid, startWorker(pod));
        } else {
            one.see(pod);
        }
    };
    const remove = (removed: string): void => {
        try {
            fs.rmSync(removed, { recursive: true, force: true });
        } catch (error) {
            log(`cannot remove ${removed}: ${(error as Error).message}`);
        }
    };
    const onGone = ({ metadata }: k8s.V1Pod): void => {
        const uid = metadata?.uid ?? "";
        const one = known.get(uid);
        known.delete(uid);
        writeNames();
        void one?.leave().then(() => remove(path.join(folder, uid)));
    };
    /** Pods read a ConfigMap or Secret for the first time themselves. */
    const onFiles = ({ metadata }: k8s.KubernetesObject): void => {
        const name = metadata?.name ?? "";
        for (const one of known.values()) {
            if (one.pod.metadata?.namespace === metadata?.namespace && hasVolumeOf(one.pod, name)) {
                one.refresh();
            }
        }
    };
    const onNode = ({ metadata }: k8s.V1Node): void => {
        const name = metadata?.name ?? "";
        const hasStopped = Object.hasOwn(metadata?.labels ?? {}, stoppedLabel);
        if (hasStopped !== stoppedNodes.has(name)) {
            stoppedNodes[hasStopped ? "add" : "delete"](name);
            known.forEach((one) => one.see());
        }
    };

    const watches: ObjectWatch[] = [];
    const stop = async (): Promise<void> => {
        reports.stop();
        await Promise.all(watches.map((watch) => watch.stop()));
        await Promise.all([...known.values()].map((one) => one.leave()));
        names.stop();
    };
    fs.mkdirSync(folder, { recursive: true });
    const watch = async <T extends k8s.KubernetesObject>(
        kind: string,
        list: () => Promise<k8s.KubernetesListObject<T>>,
        onChange: (object: T) => void,
        onDelete: (object: T) => void = () => undefined,
        labelSelector?: string,
    ): Promise<void> => {
        const onError = (error: unknown): void => log(`the watch of ${kind} failed: ${String(error)}; listing again`);
        const options = { path: `/api/v1/${kind}`, list, onChange, onDelete, onError, labelSelector };
        watches.push(await watchObjects<T>(client, kubeconfig, options));
    };
    try {
        await watch<k8s.V1Service>(
            "services",
            () => core.listServiceForAllNamespaces(),
            (service) => {
                services.set(service.metadata?.uid ?? "", namedService(service));
                writeNames();
            },
            ({ metadata }) => {
                services.delete(metadata?.uid ?? "");
                writeNames();
            },
        );
        await watch<k8s.V1Node>("nodes", () => core.listNode(), onNode);
        await watch<k8s.V1PersistentVolume>(
            "persistentvolumes",
            () => core.listPersistentVolume(),
            () => undefined,
            (volume) => remove(path.join(volumesFolder, volumeFolder(volume))),
        );
        await watch<k8s.V1ConfigMap>("configmaps", () => core.listConfigMapForAllNamespaces(), onFiles);
        await watch<k8s.V1Secret>("secrets", () => core.listSecretForAllNamespaces(), onFiles);
        const listPods = () => core.listPodForAllNamespaces({ labelSelector: podSelector });
        await watch<k8s.V1Pod>("pods", listPods, onPod, onGone, podSelector);
    } catch (error) {
        await stop();
        throw error;
    }
    const find = (namespace: string, name: string): PodWorker | undefined =>
        [...known.values()].find(
            ({ pod, isEnding }) => pod.metadata?.namespace === namespace && pod.metadata.name === name && !isEnding,
        );
    return {
        beforeStop: (look) => void (lookBeforeStop = look),
        address: (namespace, pod) => find(namespace, pod)?.address.loopback,
        signal: (namespace, pod, name) => {
            const one = find(namespace, pod);
            one?.signal(componentOf(one.pod), name);
        },
        hosts: names.file,
        stop,
    };
}

/** Whether a volume is made of a ConfigMap or Secret of this name. */
function hasVolumeOf({ spec }: k8s.V1Pod, name: string): boolean {
    return (spec?.volumes ?? [])
        .flatMap(({ secret, configMap, projected }) => [
            secret?.secretName,
            configMap?.name,
            ...(projected?.sources ?? []).flatMap((one) => [one.secret?.name, one.configMap?.name]),
        ])
        .includes(name);
}

function componentOf({ metadata }: k8s.V1Pod): string {
    return metadata?.labels?.["app.kubernetes.io/component"] ?? "";
}

function namedPod({ pod, address, isReady }: PodWorker): NamedPod {
    const { namespace = "", name = "", labels = {} } = pod.metadata ?? {};
    return { namespace, name, subdomain: pod.spec?.subdomain, labels, address: address.loopback, isReady };
}
