import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { missingImageTag } from "../../controlPlane/stages";
import { stoppedLabel } from "../../controlPlane/stoppedLabel";
import { watchObjects } from "../../watchObjects";
import { podObjects } from "../containers/podObjects";
import { podStatus } from "../containers/podStatus";
import { servedPorts } from "../podListeners";
import { containerLogs } from "../kubernetes/containerLogs";
import { portForwards } from "../kubernetes/portForwards";
import type { Binaries, ProcessMember } from "./binaries";
import { checkMachine } from "./checkMachine";
import { hostsText, type NamedPod, type NamedService, namedService, writeHosts } from "./hostsFile";
import { type PodAddress, podNetwork } from "./podNetwork";
import { podReports } from "./podReports";
import { type ProcessPod, runProcessPod } from "./processPod";

/** Where and how pods run as processes. */
export interface ProcessesOptions {
    binaries: Binaries;
    /** The number of the network of the pods' loopback addresses. */
    network: number;
    /** A folder for the pods' files. */
    folder: string;
    /** The folder with the folders of claims. */
    claims: string;
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

interface KnownPod {
    pod: k8s.V1Pod;
    address: PodAddress;
    /** Undefined while its node is stopped. */
    running: ProcessPod | undefined;
    /** Resolves when the processes that it had before its node stopped have ended. */
    ended: Promise<void>;
    isReady: boolean;
    isEnding: boolean;
}

const podSelector = "app.kubernetes.io/name=tidb-cluster";
const imageMilliseconds = 5_000;

/** Returns the components whose pods run as processes: those that have a program, and discovery, which PD needs. */
export function processComponents({ members }: Binaries): readonly string[] {
    return [...members, "discovery"];
}

/** Starts to run the pods of members that have a program, as a kubelet would. */
export async function startPodProcesses(
    kubeconfigFile: string,
    { binaries, network: number, folder, claims: claimsFolder, processIds, server, log }: ProcessesOptions,
): Promise<SandboxProcesses> {
    const client = await import("@kubernetes/client-node");
    const kubeconfig = new client.KubeConfig();
    kubeconfig.loadFromFile(kubeconfigFile);
    const namespaces = checkMachine();
    const core = kubeconfig.makeApiClient(client.CoreV1Api);
    const objects = podObjects(client, core, claimsFolder);
    const network = podNetwork(number);
    const reports = podReports(client, core, log);
    const serveLogs = containerLogs(client, kubeconfig);
    const forwards = portForwards(client, kubeconfig);
    const components = new Set(processComponents(binaries));
    const known = new Map<string, KnownPod>();
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
    let isStopped = false;
    let lookBeforeStop = (_pod: k8s.V1Pod, _address: string): Promise<void> => Promise.resolve();

    const hosts = (namespace: string): string => path.join(folder, `hosts-${namespace}`);
    const writeAllHosts = (): void => {
        const pods = [...known.values()].map(namedPod);
        const all = [...services.values()];
        for (const namespace of new Set(pods.map((pod) => pod.namespace))) {
            writeHosts(hosts(namespace), hostsText(namespace, pods, all));
        }
    };
    const forward = async ({ pod, address }: KnownPod): Promise<void> => {
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
            [...ports].map((port) => ({ podPort: port, loopbackPort: port, address: address.loopback })),
        );
    };
    const run = async (one: KnownPod): Promise<void> => {
        const { pod, address } = one;
        const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
        const startTime = pod.status?.startTime ? new Date(pod.status.startTime) : new Date();
        const component = componentOf(pod);
        const isCurrent = (): boolean => known.get(uid) === one && !one.isEnding && !isStopped;
        const binary =
            component === "discovery" ? undefined : await binaryOf(one, component as ProcessMember, isCurrent);
        writeAllHosts();
        await forward(one);
        await one.ended;
        if (!isCurrent() || isOnStoppedNode(pod)) {
            return;
        }
        const before = new Map(pod.status?.containerStatuses?.map((status) => [status.name, status]));
        one.running = runProcessPod(
            { ...pod, status: { ...pod.status, podIP: address.loopback } },
            {
                binary,
                address: address.loopback,
                namespaces,
                hosts: hosts(namespace),
                folder: path.join(folder, uid),
                processIds,
                objects,
                variables,
                restartsOf: (container) => {
                    const status = before.get(container);
                    return status === undefined ? 0 : status.restartCount + (status.state?.running ? 1 : 0);
                },
                serveLogs: (files) => serveLogs(pod, files),
                report: async (states) => {
                    const status = podStatus(pod, states, startTime.toISOString());
                    one.isReady = status.conditions.some(({ type, status: is }) => type === "Ready" && is === "True");
                    writeAllHosts();
                    await reports.write(pod, address.podIp, status);
                },
                log: (line) => log(`${namespace}/${name}: ${line}`),
            },
        );
    };
    const binaryOf = async (one: KnownPod, member: ProcessMember, isCurrent: () => boolean) => {
        const container = one.pod.spec?.containers.find(({ name }) => name === member) ?? one.pod.spec?.containers[0];
        const image = container?.image ?? "";
        for (let isSaid = false; isCurrent(); isSaid = true) {
            const found = binaries.find(member, image);
            if (found !== undefined) {
                return found;
            }
            if (!isSaid) {
                const message = binaries.missing(member, image);
                const states = {
                    [container?.name ?? ""]: { is: "waiting" as const, reason: "ImagePullBackOff", message },
                };
                const status = podStatus(one.pod, states, new Date().toISOString());
                await reports.write(one.pod, one.address.podIp, status);
            }
            await sleep(imageMilliseconds);
        }
        return undefined;
    };
    const isOnStoppedNode = ({ spec }: k8s.V1Pod): boolean => stoppedNodes.has(spec?.nodeName ?? "");
    const end = async (one: KnownPod, deadline: number): Promise<void> => {
        if (one.running !== undefined && !isStopped) {
            await lookBeforeStop(one.pod, one.address.loopback).catch((error: unknown) =>
                log(`cannot look at pod ${one.pod.metadata?.name} before it is stopped: ${String(error)}`),
            );
        }
        await one.running?.stop(deadline);
        if (!isStopped) {
            await reports.remove(one.pod);
        }
    };
    const reported = (work: Promise<void>, pod: k8s.V1Pod): void =>
        void work.catch((error: unknown) => log(`pod ${pod.metadata?.name} failed to run: ${String(error)}`));
    const onPod = (pod: k8s.V1Pod): void => {
        const { uid = "", deletionTimestamp } = pod.metadata ?? {};
        const image = pod.spec?.containers.some((one) => one.image?.endsWith(`:${missingImageTag}`)) ?? false;
        const component = componentOf(pod);
        if (!components.has(component) || pod.spec?.nodeName === undefined || image) {
            return;
        }
        const one = known.get(uid) ?? {
            pod,
            address: network.known(pod.status?.podIP ?? "") ?? network.next(),
            running: undefined,
            ended: Promise.resolve(),
            isReady: false,
            isEnding: false,
        };
        const isNew = !known.has(uid);
        one.pod = pod;
        known.set(uid, one);
        if (!isOnStoppedNode(pod) && !one.isEnding && (isNew || deletionTimestamp !== undefined)) {
            begin(one);
        }
    };
    /** Runs a pod, or ends it if it was deleted. */
    const begin = (one: KnownPod): void => {
        const { deletionTimestamp } = one.pod.metadata ?? {};
        if (deletionTimestamp === undefined) {
            reported(run(one), one.pod);
        } else {
            one.isEnding = true;
            reported(end(one, new Date(deletionTimestamp).getTime()), one.pod);
        }
    };
    const onGone = ({ metadata }: k8s.V1Pod): void => {
        const uid = metadata?.uid ?? "";
        const one = known.get(uid);
        known.delete(uid);
        writeAllHosts();
        if (one !== undefined) {
            const remove = (): void => fs.rmSync(path.join(folder, uid), { recursive: true, force: true });
            reported(Promise.resolve(one.running?.abandon()).then(remove), one.pod);
        }
    };
    const onNode = ({ metadata }: k8s.V1Node): void => {
        const name = metadata?.name ?? "";
        const hasStopped = Object.hasOwn(metadata?.labels ?? {}, stoppedLabel);
        if (hasStopped === stoppedNodes.has(name)) {
            return;
        }
        stoppedNodes[hasStopped ? "add" : "delete"](name);
        const onIt = [...known.values()].filter(({ pod }) => pod.spec?.nodeName === name);
        for (const one of onIt) {
            if (hasStopped) {
                one.isReady = false;
                one.ended = Promise.resolve(one.running?.abandon());
                reported(one.ended, one.pod);
                one.running = undefined;
            } else {
                begin(one);
            }
        }
        writeAllHosts();
    };
    const onClaimGone = ({ metadata }: k8s.V1PersistentVolumeClaim): void => {
        const remove = async (): Promise<void> => {
            const volumes = await core.listPersistentVolume();
            // A volume that is retained keeps its data.
            if (!volumes.items.some(({ spec }) => spec?.claimRef?.uid === metadata?.uid)) {
                fs.rmSync(path.join(claimsFolder, metadata?.uid ?? ""), { recursive: true, force: true });
            }
        };
        setTimeout(() => {
            remove().catch((error: unknown) =>
                log(`cannot remove the data of claim ${metadata?.name}: ${String(error)}`),
            );
        }, claimMilliseconds).unref();
    };

    fs.mkdirSync(folder, { recursive: true });
    const onError = (kind: string) => (error: unknown) =>
        log(`the watch of ${kind} failed: ${String(error)}; listing again`);
    const watches = [
        await watchObjects<k8s.V1Service>(client, kubeconfig, {
            path: "/api/v1/services",
            list: () => core.listServiceForAllNamespaces(),
            onChange: (service) => {
                services.set(service.metadata?.uid ?? "", namedService(service));
                writeAllHosts();
            },
            onDelete: ({ metadata }) => {
                services.delete(metadata?.uid ?? "");
                writeAllHosts();
            },
            onError: onError("services"),
        }),
        await watchObjects<k8s.V1Node>(client, kubeconfig, {
            path: "/api/v1/nodes",
            list: () => core.listNode(),
            onChange: onNode,
            onDelete: () => undefined,
            onError: onError("nodes"),
        }),
        await watchObjects<k8s.V1PersistentVolumeClaim>(client, kubeconfig, {
            path: "/api/v1/persistentvolumeclaims",
            list: () => core.listPersistentVolumeClaimForAllNamespaces(),
            onChange: () => undefined,
            onDelete: onClaimGone,
            onError: onError("claims"),
        }),
        await watchObjects<k8s.V1Pod>(client, kubeconfig, {
            path: "/api/v1/pods",
            list: () => core.listPodForAllNamespaces({ labelSelector: podSelector }),
            labelSelector: podSelector,
            onChange: onPod,
            onDelete: onGone,
            onError: onError("pods"),
        }),
    ];
    const find = (namespace: string, pod: string): KnownPod | undefined =>
        [...known.values()].find(
            (one) => one.pod.metadata?.namespace === namespace && one.pod.metadata.name === pod && !one.isEnding,
        );
    return {
        beforeStop: (look) => void (lookBeforeStop = look),
        address: (namespace, pod) => find(namespace, pod)?.address.loopback,
        signal: (namespace, pod, name) => {
            const one = find(namespace, pod);
            one?.running?.signal(componentOf(one.pod), name);
        },
        hosts,
        stop: async () => {
            isStopped = true;
            reports.stop();
            await Promise.all(watches.map((watch) => watch.stop()));
            await Promise.all([...known.values()].map(({ running }) => Promise.resolve(running?.abandon())));
        },
    };
}

const claimMilliseconds = 3_000;

function componentOf({ metadata }: k8s.V1Pod): string {
    return metadata?.labels?.["app.kubernetes.io/component"] ?? "";
}

function namedPod({ pod, address, isReady }: KnownPod): NamedPod {
    const { namespace = "", name = "", labels = {} } = pod.metadata ?? {};
    return { namespace, name, subdomain: pod.spec?.subdomain, labels, address: address.loopback, isReady };
}
