import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceAddresses } from "../serviceAddresses";
import { containerLogs } from "../kubernetes/containerLogs";
import { missingImageTag } from "../../controlPlane/stages";
import { watchObjects } from "../../watchObjects";
import type { Programs } from "./commandLine";
import { type JobPod, runJobPod } from "./jobPod";
import { podObjects } from "../containers/podObjects";
import { podStatus } from "../containers/podStatus";

/** Where and how the pods of Jobs run. */
export interface JobsOptions {
    programs: Programs;
    /** A folder for the pods' files and the files of claims. */
    folder: string;
    /** The folder of the files with the ids of processes that end with the sandbox. */
    processIds: string;
    /** Returns the file with the names of a namespace's pods that run as processes. Default: none does. */
    hosts?: (namespace: string) => string | undefined;
}

/** What the data plane knows of the cluster around the Jobs. */
export interface JobSurroundings {
    /** The addresses of Services for the pods of a namespace. */
    addresses: (namespace: string) => ServiceAddresses;
}

/** A command that ran in the pod of a Job. */
export interface JobRun {
    namespace: string;
    pod: string;
    container: string;
    /** The command as the pod has it. */
    command: readonly string[];
}

/** The Jobs of a sandbox. Their commands run as processes of this machine. */
export interface SandboxJobs {
    /** The commands that ran, in order. */
    readonly runs: readonly JobRun[];
    /** Ends the processes of a pod with SIGKILL, as if the kernel had. */
    kill(namespace: string, pod: string): void;
    /** Returns the folder with the files of a claim; undefined if the claim does not exist or is not bound. */
    claimFolder(namespace: string, claim: string): Promise<string | undefined>;
    stop(): Promise<void>;
}

/** Every Job labels its pods with its name. */
const jobLabel = "job-name";
const logTries = 20;
const logPauseMilliseconds = 100;

/** Starts to run the pods of Jobs in a Kubernetes cluster that uses KWOK. */
export async function startJobs(
    client: typeof k8s,
    kubeconfig: k8s.KubeConfig,
    { programs, folder, processIds, addresses, hosts }: JobsOptions & JobSurroundings,
    log: (line: string) => void,
): Promise<SandboxJobs> {
    const core = kubeconfig.makeApiClient(client.CoreV1Api);
    const serveLogs = containerLogs(client, kubeconfig);
    const strategic = client.setHeaderOptions("Content-Type", client.PatchStrategy.StrategicMergePatch);
    const objects = podObjects(client, core, path.join(folder, "claims"));
    const bin = path.join(folder, "bin");
    const runs: JobRun[] = [];
    const pods = new Map<string, JobPod>();
    const names = new Map<string, string>();
    const isGone = (error: unknown): boolean => error instanceof client.ApiException && error.code === 404;

    const run = (pod: k8s.V1Pod): JobPod => {
        const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
        const startTime = new Date().toISOString();
        let written = Promise.resolve();
        const write = async (status: object): Promise<void> => {
            try {
                await core.patchNamespacedPodStatus(
                    { namespace, name, body: { metadata: { uid }, status } },
                    strategic,
                );
            } catch (error) {
                if (!isGone(error)) {
                    throw error;
                }
            }
        };
        return runJobPod(pod, {
            programs,
            path: [bin, process.env.PATH].join(path.delimiter),
            objects,
            folder: path.join(folder, "pods", uid),
            processIds,
            addresses: () => addresses(namespace),
            hosts: () => {
                const file = hosts?.(namespace);
                return file !== undefined && fs.existsSync(file) ? file : undefined;
            },
            serveLogs: (files) => serveLogs(pod, files),
            untilLogged: async (container) => {
                for (let tries = 1; tries <= logTries; tries++) {
                    try {
                        await core.readNamespacedPodLog({ namespace, name, container });
                        return;
                    } catch (error) {
                        if (isGone(error)) {
                            return;
                        }
                        await sleep(logPauseMilliseconds);
                    }
                }
                log(`the log of container ${container} of pod ${name} cannot be read`);
            },
            report: (states) => {
                const status = podStatus(pod, states, startTime);
                written = written.then(() => write(status));
                return written;
            },
            ran: (container, command) => void runs.push({ namespace, pod: name, container, command }),
            log,
        });
    };
    const onPod = (pod: k8s.V1Pod): void => {
        const { name = "", namespace = "", uid = "", deletionTimestamp } = pod.metadata ?? {};
        if (deletionTimestamp !== undefined) {
            pods.get(uid)?.stop();
            return;
        }
        const waitsForImage = pod.spec?.containers.some(({ image }) => image?.endsWith(`:${missingImageTag}`)) ?? false;
        if (!pods.has(uid) && pod.spec?.nodeName !== undefined && pod.status?.phase === "Pending" && !waitsForImage) {
            const running = run(pod);
            pods.set(uid, running);
            names.set(`${namespace}/${name}`, uid);
            running.over.catch((error: unknown) => log(`pod ${name} of a Job failed to run: ${String(error)}`));
        }
    };

    // A script finds the programs by their names, too.
    fs.rmSync(bin, { recursive: true, force: true });
    fs.mkdirSync(bin, { recursive: true });
    for (const [name, file] of Object.entries(programs)) {
        fs.symlinkSync(path.resolve(file), path.join(bin, name));
    }
    const watch = await watchObjects<k8s.V1Pod>(client, kubeconfig, {
        path: "/api/v1/pods",
        list: () => core.listPodForAllNamespaces({ labelSelector: jobLabel }),
        labelSelector: jobLabel,
        onChange: onPod,
        onDelete: (pod) => pods.get(pod.metadata?.uid ?? "")?.stop(),
        onError: (error) => log(`the watch of the pods of Jobs failed: ${String(error)}; listing again`),
    });
    return {
        runs,
        kill: (namespace, pod) => pods.get(names.get(`${namespace}/${pod}`) ?? "")?.signal("SIGKILL"),
        claimFolder: (namespace, claim) => objects.claimFolder(namespace, claim),
        stop: async () => {
            await watch.stop();
            pods.forEach((pod) => {
                pod.stop();
                pod.signal("SIGKILL");
            });
            await Promise.allSettled([...pods.values()].map(({ over }) => over));
        },
    };
}
