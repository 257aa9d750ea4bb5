import type { V1Node, V1Pod, V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as pause } from "node:timers/promises";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { ClusterId } from "../../../provider/cluster/clusterId";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import type { ListedClaim } from "../../../provider/cluster/listCalls";
import { observeMembers } from "../../../provider/cluster/observeMembers";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { staleOnConflict } from "../../../provider/cluster/staleOnConflict";
import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import { releasedClaimAnnotation, releasedIdAnnotation } from "../../../topology/annotations";
import { OneLease } from "../../support/gates/oneLease";
import type { RealPd } from "../pd/realPd";

interface PlayedPod {
    readonly name: string;
    readonly ordinal: number;
    readonly uid: string;
    readonly node: string;
    /** The volume that it has mounted. */
    readonly claim: PlayedClaim;
    version: number;
    terminating: boolean;
    ready: boolean;
    /** Whether its process has not started yet. */
    isPulling?: boolean;
    readonly createdAt: Date;
    changedAt: Date;
}

/** Its volume is that of a member of the real PD: its data go with it. */
interface PlayedClaim {
    readonly name: string;
    readonly ordinal: number;
    readonly uid: string;
    readonly volume: string;
    terminating: boolean;
    readonly annotations: Record<string, string>;
}

/** The PD pods of one cluster on nodes of their own, as StatefulSet controller and kubelets keep them; in each runs a real pd-server. */
export class PlayedPdPods {
    readonly lease = new OneLease();
    /** Since when each node that is lost is not Ready. */
    private readonly lostNodes = new Map<string, Date>();
    private pods: PlayedPod[] = [];
    private claims: PlayedClaim[] = [];
    private made = 0;

    constructor(
        private readonly id: ClusterId,
        private readonly pd: RealPd,
        private replicas: number,
    ) {
        // Members that were started with the PD, each on a volume of its own name.
        for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
            this.claims.push(this.newClaim(ordinal, this.podName(ordinal)));
            this.pods.push({ ...this.newPod(ordinal), ready: true });
        }
    }

    /** The pods, with the volumes that they have mounted. */
    get running(): string[] {
        return this.pods.map(({ name, claim, terminating, ready }) => {
            const state = terminating ? "ends" : ready ? "is Ready" : "is not Ready";
            return `${name} on ${claim.volume} ${state}`;
        });
    }

    podName(ordinal: number): string {
        return `${this.id.cluster}-pd-${ordinal}`;
    }

    /** A node is lost: Kubernetes hears of it no more. @param dies whether its PD ends with it. */
    async loseNode(ordinal: number, { dies }: { dies: boolean }): Promise<void> {
        const pod = this.pods.find((one) => one.ordinal === ordinal)!;
        if (dies) {
            await this.pd.stopMember(pod.claim.volume);
        }
        this.lostNodes.set(pod.node, new Date());
        Object.assign(pod, { ready: false, changedAt: new Date(), version: pod.version + 1 });
    }

    /** The node starts again what it ran, from its old data, before it hears from Kubernetes. @returns the old volume */
    restartOnLostNode(ordinal: number): string {
        const { claim } = this.pods.find((one) => one.ordinal === ordinal)!;
        this.pd.startMember(claim.volume);
        return claim.volume;
    }

    /** The node hears from Kubernetes: what was deleted meanwhile ends there. */
    async returnNode(ordinal: number): Promise<void> {
        const pod = this.pods.find((one) => one.ordinal === ordinal)!;
        this.lostNodes.delete(pod.node);
        if (pod.terminating) {
            await this.end(pod);
        }
    }

    /** For how long the image of each new pod is pulled, in milliseconds. Then its PD starts, and joins. */
    pullMilliseconds = 0;

    /** The UIDs of the claims. */
    get claimUids(): string[] {
        return this.claims.map(({ uid }) => uid);
    }

    /** As Pulumi applies the StatefulSet after its gate. */
    async setReplicas(replicas: number): Promise<void> {
        this.replicas = replicas;
        await Promise.all(this.pods.filter(({ ordinal }) => ordinal >= replicas).map((pod) => this.end(pod)));
        await this.makePods();
    }

    /** What gates ask of Kubernetes. */
    readonly api = {
        readLease: (namespace: string, name: string) => this.lease.api.readLease(namespace, name),
        patchLease: (namespace: string, name: string, patch: object) =>
            this.lease.api.patchLease(namespace, name, patch),
        readMembers: (id, components, wanted, now, nodes) =>
            observeMembers(
                {
                    statefulSet: (name) => Promise.resolve(name.endsWith("-pd") ? this.statefulSet(name) : undefined),
                    pods: () => Promise.resolve(this.pods.map(toPod)),
                    wholePod: () => Promise.resolve(undefined),
                    claims: () => Promise.resolve(this.claims.map(toClaim)),
                    node: (name) => Promise.resolve(this.nodeOf(name)),
                    time: () => Promise.resolve(Date.now()),
                    revisions: () => Promise.resolve(notAsked),
                    room: () => Promise.resolve(notAsked),
                    place: () => Promise.resolve(notAsked),
                    volume: () => Promise.resolve(notAsked),
                    expands: () => Promise.resolve(notAsked),
                },
                id,
                components,
                wanted,
                now,
                nodes,
            ),
        deletePod: (_namespace: string, name: string, uid: string, resourceVersion: string) =>
            staleOnConflict(`pod ${name}`, () => this.deletePod(name, uid, resourceVersion)),
        deleteClaim: (_namespace: string, name: string, uid: string) =>
            staleOnConflict(`claim ${name}`, () => this.deleteClaim(name, uid)),
        releaseClaim: (_namespace: string, name: string, uid: string, at: Date | null, id?: string) => {
            const claim = this.claims.find((one) => one.name === name && one.uid === uid);
            const marks = {
                ...(at ? { [releasedClaimAnnotation]: at.toISOString() } : {}),
                ...(id === undefined ? {} : { [releasedIdAnnotation]: id }),
            };
            for (const one of claim ? [releasedClaimAnnotation, releasedIdAnnotation] : []) {
                delete claim!.annotations[one];
            }
            Object.assign(claim?.annotations ?? {}, marks);
            return Promise.resolve();
        },
        setReplicas: (_namespace: string, from: { replicas: number }, replicas: number) =>
            from.replicas === this.replicas
                ? this.setReplicas(replicas)
                : Promise.reject(new StaleDecision(`has ${this.replicas} replicas`)),
    } as Partial<KubernetesApi> as KubernetesApi;

    private async deletePod(name: string, uid: string, resourceVersion: string): Promise<void> {
        const pod = this.pods.find((one) => one.name === name);
        if (pod?.uid !== uid || pod.version !== Number(resourceVersion)) {
            throw new KubernetesApiError(`pod ${name} is another one`, 409);
        }
        Object.assign(pod, { terminating: true, version: pod.version + 1 });
        // Nobody says that the pod on a lost node has ended.
        if (!this.lostNodes.has(pod.node)) {
            await this.end(pod);
        }
    }

    private async deleteClaim(name: string, uid: string): Promise<void> {
        const claim = this.claims.find((one) => one.name === name);
        if (claim?.uid !== uid) {
            throw new KubernetesApiError(`claim ${name} is another one`, 409);
        }
        claim.terminating = true;
        await this.makePods();
    }

    private async end(pod: PlayedPod): Promise<void> {
        await this.pd.stopMember(pod.claim.volume);
        this.pods = this.pods.filter((one) => one !== pod);
        await this.makePods();
    }

    /** Claims that are deleted go with the last pod that uses them; pods that lack are made, each on its claim or a new one. */
    private async makePods(): Promise<void> {
        this.claims = this.claims.filter((claim) => !claim.terminating || this.pods.some((pod) => pod.claim === claim));
        const ordinals = Array.from({ length: this.replicas }, (_, ordinal) => ordinal);
        for (const ordinal of ordinals.filter((one) => this.pods.every((pod) => pod.ordinal !== one))) {
            const isNew = this.claims.every((claim) => claim.ordinal !== ordinal);
            if (isNew) {
                this.claims.push(this.newClaim(ordinal, `volume-${(this.made += 1)}`));
            }
            const pod = this.newPod(ordinal);
            this.pods.push(pod);
            if (isNew && this.pullMilliseconds > 0) {
                void this.startOncePulled(pod, ordinal * this.pullMilliseconds);
                continue;
            }
            await this.start(pod, isNew);
        }
    }

    private async startOncePulled(pod: PlayedPod, milliseconds: number): Promise<void> {
        pod.isPulling = true;
        await pause(milliseconds);
        pod.isPulling = false;
        if (this.pods.includes(pod)) {
            await this.start(pod, true);
        }
    }

    private async start(pod: PlayedPod, isNew: boolean): Promise<void> {
        await (isNew
            ? this.pd.joinMember(pod.name, pod.claim.volume)
            : Promise.resolve(this.pd.startMember(pod.claim.volume)));
        void this.becomeReady(pod);
    }

    private async becomeReady(pod: PlayedPod): Promise<void> {
        while (this.pods.includes(pod) && !pod.ready) {
            await pause(500);
            if (this.pd.exitCodeOf(pod.claim.volume) !== undefined) {
                // PD ends if it cannot join yet, as right after another member has left. The kubelet starts it again.
                this.pd.startMember(pod.claim.volume);
            }
            const health = await this.pd.client.health().catch(() => []);
            if (health.some(({ name, healthy }) => name === pod.name && healthy)) {
                Object.assign(pod, { ready: true, changedAt: new Date(), version: pod.version + 1 });
            }
        }
    }

    private newClaim(ordinal: number, volume: string): PlayedClaim {
        const name = `pd-${this.podName(ordinal)}`;
        return { name, ordinal, uid: `claim-of-${volume}`, volume, terminating: false, annotations: {} };
    }

    private newPod(ordinal: number): PlayedPod {
        const name = this.podName(ordinal);
        const claim = this.claims.find((one) => one.ordinal === ordinal)!;
        const now = new Date();
        const uid = `pod-${(this.made += 1)}`;
        const node = `node-${ordinal}`;
        const fresh = { version: 1, terminating: false, ready: false, createdAt: now, changedAt: now };
        return { name, ordinal, uid, node, claim, ...fresh };
    }

    private nodeOf(name: string): V1Node {
        const since = this.lostNodes.get(name);
        const condition = since
            ? { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: since }
            : { type: "Ready", status: "True" };
        return { status: { conditions: [condition] } };
    }

    private statefulSet(name: string): V1StatefulSet {
        return {
            metadata: { name, uid: "statefulset", generation: 1 },
            spec: {
                replicas: this.replicas,
                podManagementPolicy: "Parallel",
                serviceName: `${this.id.cluster}-pd-peer`,
                selector: {},
                template: {},
                volumeClaimTemplates: [{ metadata: { name: "pd" } }],
            },
            status: { observedGeneration: 1, updateRevision: "new", replicas: this.replicas },
        };
    }
}

function toClaim({ name, uid, terminating, annotations }: PlayedClaim): ListedClaim {
    return { metadata: { name, uid, annotations, ...(terminating ? { deletionTimestamp: new Date() } : {}) } };
}

function toPod({ name, uid, node, version, ready, isPulling, terminating, createdAt, changedAt }: PlayedPod): V1Pod {
    const state = isPulling ? { waiting: { reason: "ContainerCreating" } } : { running: { startedAt: createdAt } };
    return {
        metadata: {
            name,
            uid,
            resourceVersion: String(version),
            labels: { "controller-revision-hash": "new" },
            creationTimestamp: createdAt,
            ...(terminating ? { deletionTimestamp: new Date() } : {}),
        },
        spec: { nodeName: node, containers: [] },
        status: {
            phase: "Running",
            conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: changedAt }],
            containerStatuses: [{ name: "pd", image: "pd", imageID: "", ready, restartCount: 0, state }],
        },
    };
}
