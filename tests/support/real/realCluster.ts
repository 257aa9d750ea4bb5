import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import * as net from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { type Sandbox, type SandboxOptions, startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi } from "pulumi-tidb-sandbox/pulumi";
import { kubernetesSide, type KubernetesSide } from "../e2e/kubernetes";
import type { StackHost } from "../e2e/stack";

/** The variable with the folders of the programs that the pods of a sandbox run, separated as in PATH. */
const processesVariable = "PULUMI_TIDB_PROCESSES";

/** A Kubernetes cluster with real processes in its pods. */
export interface RealCluster extends StackHost {
    readonly kubernetes: KubernetesSide;
    /** The sandbox, if it is one. */
    readonly own: Sandbox | undefined;
    /** Returns where a pod's port can be reached from here. Undefined while the pod does not run. */
    reach(namespace: string, pod: string, port: number): Promise<{ host: string; port: number } | undefined>;
    close(): Promise<void>;
}

/** Why there is no real cluster here; undefined if there is one. */
export function whyNoRealCluster(): string | undefined {
    return (process.env[processesVariable] ?? process.env.KUBECONFIG) === undefined
        ? `NOT RUN: neither ${processesVariable} nor KUBECONFIG is set`
        : undefined;
}

/**
 * Starts a sandbox with the programs that `PULUMI_TIDB_PROCESSES` names, or uses the cluster that `KUBECONFIG` names.
 * @param options more of a sandbox. Default: none
 */
export async function openRealCluster(options: SandboxOptions = {}): Promise<RealCluster> {
    const processes = process.env[processesVariable];
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-real-"));
    const driver = await findPulumi();
    const sandbox =
        processes === undefined
            ? undefined
            : await startSandbox({ ...options, processes, log: (line) => console.log(`      ${line}`) });
    const kubeconfig = sandbox?.kubeconfig ?? process.env.KUBECONFIG ?? "";
    const forwards = await podForwards(kubeconfig);
    return {
        driver,
        folder,
        sandbox: sandbox ?? { kubeconfig, dataPlane: { cluster: () => undefined } },
        own: sandbox,
        kubernetes: await kubernetesSide(kubeconfig),
        reach: (namespace, pod, port) => {
            const host = sandbox?.processes?.address(namespace, pod);
            return sandbox === undefined
                ? forwards.open(namespace, pod, port)
                : Promise.resolve(host === undefined ? undefined : { host, port });
        },
        close: async () => {
            forwards.close();
            await sandbox?.down();
            rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
        },
    };
}

/** Local ports that lead to pods, through the API server. */
export async function podForwards(kubeconfig: string) {
    const client = await import("@kubernetes/client-node");
    const config = new client.KubeConfig();
    config.loadFromFile(kubeconfig);
    const core = config.makeApiClient(client.CoreV1Api);
    const forward = new client.PortForward(config);
    const servers = new Map<string, net.Server>();
    return {
        open: async (namespace: string, pod: string, port: number) => {
            const found = await core.readNamespacedPod({ namespace, name: pod }).catch(() => undefined);
            if (found?.status?.phase !== "Running") {
                return undefined;
            }
            const key = `${namespace}/${pod}:${port}`;
            const known = servers.get(key);
            const server =
                known ??
                net.createServer((socket) => {
                    socket.on("error", () => socket.destroy());
                    forward.portForward(namespace, pod, [port], socket, null, socket).catch(() => socket.destroy());
                });
            if (known === undefined) {
                servers.set(key, server);
                server.listen(0, "127.0.0.1");
            }
            if (!server.listening) {
                await once(server, "listening");
            }
            return { host: "127.0.0.1", port: (server.address() as net.AddressInfo).port };
        },
        close: () => servers.forEach((server) => server.close()),
    };
}

/** Returns the file of a program in the folders of `PULUMI_TIDB_PROCESSES`. Undefined if it is in none of them. */
export function realProgram(name: string): string | undefined {
    const folders = process.env[processesVariable]?.split(path.delimiter) ?? [];
    return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/** Whether a pod is Ready. */
export function isReady({ status, metadata }: k8s.V1Pod): boolean {
    const ready = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
    return ready && metadata?.deletionTimestamp === undefined;
}
