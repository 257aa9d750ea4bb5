import type { V1Pod, V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as pause } from "node:timers/promises";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { staleOnConflict } from "../../../provider/cluster/staleOnConflict";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { observeMembers } from "../../../provider/cluster/observeMembers";
import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import { OneLease } from "../../support/gates/oneLease";
import type { PlayedTikv } from "./playedTikv";
import type { ClusterId } from "../../../provider/cluster/clusterId";

/** A pod of the played Kubernetes: the store with this id runs in it. */
interface PlayedPod {
    readonly name: string;
    readonly store: number;
    uid: number;
    version: number;
    revision: "old" | "new";
    terminating: boolean;
    startedAt?: number;
    readySince?: number;
}

/** A pod that was deleted, and what its store led in truth at that moment. */
export interface Deletion {
    readonly store: number;
    readonly leaders: number;
    /** By `performance.now()`. */
    readonly at: number;
}

const stopMilliseconds = 500;
const startMilliseconds = 2000;
const readyMilliseconds = 500;

/** The TiKV pods of one cluster, as its StatefulSet keeps them: one that is deleted is made anew from the new revision. */
export class PlayedPods {
    readonly deletions: Deletion[] = [];
    readonly lease = new OneLease();
    private readonly pods: PlayedPod[];
    private versions = 100;

    /**
     * @param stores their ids, by ordinal.
     * @param stale how many of the pods, the last ones, run the old revision.
     */
    constructor(
        private readonly id: ClusterId,
        private readonly stores: readonly number[],
        stale: number,
        private readonly tikv: PlayedTikv,
    ) {
        this.pods = stores.map((store, ordinal) => {
            const revision = ordinal >= stores.length - stale ? "old" : "new";
            const { startedAt } = tikv.start(store);
            const name = `${id.cluster}-tikv-${ordinal}`;
            const readySince = startedAt + 1000;
            return { name, store, uid: store, version: 1, revision, terminating: false, startedAt, readySince };
        });
    }

    get revisions(): string[] {
        return this.pods.map(({ revision }) => revision);
    }

    storeOf(pod: string): number {
        return this.pods.find(({ name }) => name === pod)!.store;
    }

    /** What gates ask of Kubernetes. */
    readonly api = {
        readLease: (namespace: string, name: string) => this.lease.api.readLease(namespace, name),
        patchLease: (namespace: string, name: string, patch: object) =>
            this.lease.api.patchLease(namespace, name, patch),
        readMembers: (id, components, wanted, now) =>
            observeMembers(
                {
                    statefulSet: (name) => Promise.resolve(name.endsWith("-tikv") ? this.statefulSet(name) : undefined),
                    pods: () => Promise.resolve(this.pods.map((pod) => toPod(pod))),
                    wholePod: () => Promise.resolve(undefined),
                    claims: () => Promise.resolve([]),
                    node: () => Promise.resolve({ status: { conditions: [{ type: "Ready", status: "True" }] } }),
                    time: () => Promise.resolve(undefined),
                    room: () => Promise.resolve(notAsked),
                    place: () => Promise.resolve(notAsked),
                    volume: () => Promise.resolve(notAsked),
                    expands: () => Promise.resolve(notAsked),
                    revisions: () => Promise.resolve(notAsked),
                },
                id,
                components,
                wanted,
                now,
            ),
        deletePod: (_namespace: string, name: string, uid: string, resourceVersion: string) =>
            staleOnConflict(`pod ${name}`, () => this.delete(name, uid, resourceVersion)),
    } as Partial<KubernetesApi> as KubernetesApi;

    private delete(name: string, uid: string, resourceVersion: string): Promise<void> {
        const pod = this.pods.find((one) => one.name === name);
        if (pod?.uid !== Number(uid) || pod.version !== Number(resourceVersion)) {
            return Promise.reject(new KubernetesApiError(`pod ${name} is another one`, 409));
        }
        this.deletions.push({ store: pod.store, leaders: this.tikv.leaders()[pod.store], at: performance.now() });
        void this.replace(pod);
        return Promise.resolve();
    }

    private async replace(pod: PlayedPod): Promise<void> {
        this.change(pod, { terminating: true });
        await pause(stopMilliseconds);
        this.tikv.stop(pod.store);
        const uid = pod.uid + 100;
        this.change(pod, { uid, terminating: false, revision: "new", startedAt: undefined, readySince: undefined });
        await pause(startMilliseconds);
        this.change(pod, { startedAt: this.tikv.start(pod.store).startedAt });
        await pause(readyMilliseconds);
        this.change(pod, { readySince: Date.now() });
    }

    private change(pod: PlayedPod, change: Partial<PlayedPod>): void {
        Object.assign(pod, change, { version: (this.versions += 1) });
    }

    private statefulSet(name: string): V1StatefulSet {
        return {
            metadata: { name, uid: "statefulset", generation: 1 },
            spec: {
                replicas: this.stores.length,
                podManagementPolicy: "Parallel",
                serviceName: `${this.id.cluster}-tikv-peer`,
                selector: {},
                template: {},
            },
            status: { observedGeneration: 1, updateRevision: "new", replicas: this.stores.length },
        };
    }
}

function toPod(pod: PlayedPod): V1Pod {
    const { name, uid, version, revision, terminating, startedAt, readySince } = pod;
    const ready = readySince !== undefined && !terminating;
    const container = {
        name: "tikv",
        image: "tikv",
        imageID: "",
        ready,
        restartCount: 0,
        state:
            startedAt === undefined
                ? { waiting: { reason: "ContainerCreating" } }
                : { running: { startedAt: new Date(startedAt) } },
    };
    return {
        metadata: {
            name,
            uid: String(uid),
            resourceVersion: String(version),
            labels: { "controller-revision-hash": revision },
            creationTimestamp: new Date(startedAt ?? Date.now()),
            deletionTimestamp: terminating ? new Date() : undefined,
        },
        spec: { nodeName: "node", containers: [] },
        status: {
            phase: startedAt === undefined ? "Pending" : "Running",
            conditions: [
                {
                    type: "Ready",
                    status: ready ? "True" : "False",
                    lastTransitionTime: readySince === undefined ? undefined : new Date(readySince),
                },
            ],
            containerStatuses: [container],
        },
    };
}
