import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as fs from "node:fs";
import * as path from "node:path";

/** A pod with an address, as DNS sees it. */
export interface NamedPod {
    namespace: string;
    name: string;
    subdomain?: string;
    labels: Readonly<Record<string, string>>;
    address: string;
    isReady: boolean;
}

/** A Service, as DNS sees it. */
export interface NamedService {
    namespace: string;
    name: string;
    selector?: Readonly<Record<string, string>>;
    publishesNotReady: boolean;
}

/** Returns a Service as DNS sees it. */
export function namedService({ metadata, spec }: k8s.V1Service): NamedService {
    return {
        namespace: metadata?.namespace ?? "",
        name: metadata?.name ?? "",
        selector: spec?.selector,
        publishesNotReady: spec?.publishNotReadyAddresses ?? false,
    };
}

const domain = "cluster.local";

/**
 * Returns the file `/etc/hosts` of the pods of a namespace: the names of Services and of pods under their headless Service, with the addresses that
 * CoreDNS would return. A Service with a cluster IP leads to its pods directly.
 * https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/
 */
export function hostsText(namespace: string, pods: readonly NamedPod[], services: readonly NamedService[]): string {
    const lines = services.flatMap((service) => {
        const found = pods.filter((pod) => isBehind(service, pod));
        const ofPods = found
            .filter(({ subdomain }) => subdomain === service.name)
            .map(({ address, name }) => `${address} ${namesOf(`${name}.${service.name}`, service, namespace)}`);
        return [...found.map(({ address }) => `${address} ${namesOf(service.name, service, namespace)}`), ...ofPods];
    });
    return ["127.0.0.1 localhost", ...lines, ""].join("\n");
}

function isBehind({ namespace, selector, publishesNotReady }: NamedService, pod: NamedPod): boolean {
    return (
        selector !== undefined &&
        pod.namespace === namespace &&
        (pod.isReady || publishesNotReady) &&
        Object.entries(selector).every(([key, value]) => pod.labels[key] === value)
    );
}

function namesOf(name: string, { namespace }: NamedService, ofPods: string): string {
    const own = namespace === ofPods ? [name] : [];
    const full = `${name}.${namespace}`;
    return [`${full}.svc.${domain}`, `${full}.svc`, full, ...own].join(" ");
}

const retryMilliseconds = 1_000;

/** The hosts files of all namespaces that have pods. */
export interface HostsFiles {
    file(namespace: string): string;
    /** Writes those that have changed. What cannot be written, to a full disk for instance, is tried again. */
    write(pods: readonly NamedPod[], services: readonly NamedService[]): void;
    stop(): void;
}

/** @param folder contains the files. */
export function hostsFiles(folder: string, log: (line: string) => void): HostsFiles {
    const written = new Map<string, string>();
    let retry: NodeJS.Timeout | undefined;
    const fileOf = (namespace: string): string => path.join(folder, `hosts-${namespace}`);
    const write: HostsFiles["write"] = (pods, services) => {
        clearTimeout(retry);
        for (const namespace of new Set(pods.map((pod) => pod.namespace))) {
            const text = hostsText(namespace, pods, services);
            try {
                if (written.get(namespace) !== text) {
                    writeHosts(fileOf(namespace), text);
                    written.set(namespace, text);
                }
            } catch (error) {
                log(`cannot write the names of namespace ${namespace}, retrying: ${(error as Error).message}`);
                retry = setTimeout(() => write(pods, services), retryMilliseconds);
            }
        }
    };
    return { file: fileOf, write, stop: () => clearTimeout(retry) };
}

/** Writes the file in place, since running pods have it mounted. A reader never sees it empty. */
export function writeHosts(file: string, text: string): void {
    const handle = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644);
    try {
        fs.writeSync(handle, text, 0);
        fs.ftruncateSync(handle, Buffer.byteLength(text));
    } finally {
        fs.closeSync(handle);
    }
}
