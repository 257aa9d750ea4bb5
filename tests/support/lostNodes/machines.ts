import type { Component } from "../../../topology/members";

/** What is true of nodes, volumes and processes, and what Kubernetes does about it, whatever anybody sees of it. */

export const minute = 60_000;
/** After this time without its kubelet, the control plane calls a node not Ready. */
const nodeGrace = 40_000;
/** After this time more, it deletes the pods of the node; they stay until the node is back or gone. */
const toleration = 5 * minute;

export interface Node {
    readonly name: string;
    /** Whether its machine runs, with all processes on it. */
    isRunning: boolean;
    /** Whether the API server hears of its kubelet. */
    isCut: boolean;
    /** Whether PD hears of what runs on it. */
    isCutFromPd: boolean;
    /** Whether Kubernetes has a node of this name. */
    isListed: boolean;
    /** Whether its label no longer has the host name by which volumes are tied to it. No pod is put on it then; those on it stay. */
    isRelabelled: boolean;
    heardAt: number;
}

export interface Volume {
    readonly name: string;
    readonly isLocal: boolean;
    /** Where it is; of a volume of the network: where it was used last. */
    node: string;
    /** The store or member whose data are on it. */
    of?: string;
}

export interface Claim {
    readonly uid: string;
    readonly pod: string;
    /** Which of the pod's claims it is. What a server is in PD is written on its first one. */
    readonly index: number;
    volume?: Volume;
    isTerminating: boolean;
}

export interface Pod {
    readonly name: string;
    readonly component: Component;
    readonly ordinal: number;
    uid: string;
    node?: string;
    /** When it was put on its node. */
    boundAt: number;
    isTerminating: boolean;
    isThere: boolean;
    isReady: boolean;
}

/** A server on a machine. It goes on when its pod is gone, until a kubelet ends it. */
export interface Process {
    readonly pod: string;
    readonly podUid: string;
    readonly component: Component;
    readonly node: string;
    readonly volumes: readonly Volume[];
}

/** What PD does with a server that starts. */
export interface Registry {
    /** @returns whether it may run with what is on its first volume; names what is on all of them from then on. */
    admits(pod: Pod, volumes: readonly Volume[]): boolean;
}

/** How Kubernetes and the machines go about it. */
export interface Ways {
    /** Whether Kubernetes makes the claims of a pod that waits for them again (since 1.27). */
    readonly remakesClaims: boolean;
    /** Whether a claim gets a volume before its pod has a node (`volumeBindingMode: Immediate`). */
    readonly bindsAtOnce: boolean;
    /** How long a pod takes from its node to a process. */
    readonly startMilliseconds: number;
    /** How many claims each pod of a member has. */
    claimsEach(this: void, component: Component): number;
    isOnNetwork(this: void, pod: string, index: number): boolean;
}

/** Nodes with pods on them. */
export class Machines {
    readonly nodes = new Map<string, Node>();
    readonly pods: Pod[] = [];
    claims: Claim[] = [];
    processes: Process[] = [];
    private made = 0;

    constructor(
        nodes: readonly string[],
        private readonly ways: Ways,
    ) {
        for (const name of nodes) {
            const is = { isRunning: true, isCut: false, isCutFromPd: false, isListed: true, isRelabelled: false };
            this.nodes.set(name, { name, ...is, heardAt: 0 });
        }
    }

    addPod(component: Component, ordinal: number, node: string): readonly Volume[] {
        const name = `basic-${component}-${ordinal}`;
        const uid = this.uid("pod");
        const is = { isTerminating: false, isThere: true, isReady: true };
        const pod = { name, component, ordinal, uid, node, boundAt: 0, ...is };
        this.pods.push(pod);
        this.makeClaims(pod);
        const volumes = this.claimsOf(name).map((claim) => this.bind(claim, node));
        this.processes.push({ pod: name, podUid: uid, component, node, volumes });
        return volumes;
    }

    node(name: string): Node {
        return this.nodes.get(name)!;
    }

    claimsOf(pod: string): Claim[] {
        return this.claims.filter((claim) => claim.pod === pod).sort((one, other) => one.index - other.index);
    }

    /** Whether the process runs, and writes to its volume. */
    runs({ node }: Process): boolean {
        return this.node(node).isRunning;
    }

    isReachable({ isRunning, isCut, isListed }: Node): boolean {
        return isRunning && !isCut && isListed;
    }

    /** What the API server says: what a kubelet last said, until the node is called not Ready. */
    private isReady(pod: Pod, now: number): boolean {
        const node = pod.node === undefined ? undefined : this.node(pod.node);
        if (!pod.isThere || pod.isTerminating || node?.isListed !== true) {
            return false;
        }
        return this.isReachable(node)
            ? this.processes.some(({ podUid }) => podUid === pod.uid)
            : pod.isReady && now - node.heardAt < nodeGrace;
    }

    /** What is on the first volumes of pods on a node is gone with their disks. */
    replaceFirstDisks(node: string): void {
        for (const { index, volume } of this.claims) {
            if (index === 0 && volume?.isLocal && volume.node === node) {
                volume.of = undefined;
            }
        }
    }

    deletePod(pod: Pod): void {
        pod.isTerminating = true;
    }

    /** Kubernetes and the machines at one moment. */
    step(now: number, registry: Registry): void {
        for (const node of this.nodes.values()) {
            node.heardAt = this.isReachable(node) ? now : node.heardAt;
        }
        this.processes = this.processes.filter((one) => this.runs(one)); // What a machine ran ends with it.
        this.pods.forEach((pod) => this.controlPod(pod, now));
        // A pod that no node has does not keep its claims (kubernetes pkg/controller/volume/pvcprotection).
        const used = new Set(this.pods.flatMap((one) => (one.isThere && one.node !== undefined ? [one.name] : [])));
        this.claims = this.claims.filter(({ isTerminating, pod }) => !isTerminating || used.has(pod));
        this.pods.forEach((pod) => this.makePod(pod));
        this.pods.forEach((pod) => this.schedule(pod, now));
        this.runKubelets(registry, now);
        this.pods.forEach((pod) => (pod.isReady = this.isReady(pod, now)));
    }

    private controlPod(pod: Pod, now: number): void {
        const node = pod.node === undefined ? undefined : this.node(pod.node);
        if (!pod.isThere) {
            return;
        }
        if (node === undefined || !node.isListed) {
            // Kubernetes deletes a pod at once that no node runs, and the pods of a node that it does not have any more.
            pod.isThere = node === undefined ? !pod.isTerminating : false;
            return;
        }
        if (now - node.heardAt > nodeGrace + toleration) {
            pod.isTerminating = true;
        }
        if (pod.isTerminating && this.isReachable(node)) {
            pod.isThere = false;
        }
    }

    private makePod(pod: Pod): void {
        if (!pod.isThere) {
            Object.assign(pod, { isThere: true, isTerminating: false, node: undefined, uid: this.uid("pod") });
        } else if (!this.ways.remakesClaims || pod.node !== undefined) {
            return;
        }
        this.makeClaims(pod);
    }

    private makeClaims({ name, component }: Pod): void {
        const there = this.claimsOf(name).map(({ index }) => index);
        for (let index = 0; index < this.ways.claimsEach(component); index += 1) {
            if (!there.includes(index)) {
                this.claims.push({ uid: this.uid("claim"), pod: name, index, isTerminating: false });
            }
        }
    }

    /** A claim without a volume gets one where its pod runs. */
    private bind(claim: Claim, node: string): Volume {
        const isLocal = !this.ways.isOnNetwork(claim.pod, claim.index);
        claim.volume ??= { name: this.uid("pv"), isLocal, node };
        claim.volume.node = node;
        return claim.volume;
    }

    private schedule(pod: Pod, now: number): void {
        const claims = this.claimsOf(pod.name);
        const isComplete = claims.length === this.ways.claimsEach(pod.component);
        if (pod.node !== undefined || !isComplete || claims.some(({ isTerminating }) => isTerminating)) {
            return;
        }
        const isTaken = (node: string) =>
            this.pods.some((one) => one.component === pod.component && one.isThere && one.node === node);
        const nodes = [...this.nodes.values()].filter(
            (node) => this.isReachable(node) && !node.isRelabelled && !isTaken(node.name),
        );
        if (this.ways.bindsAtOnce) {
            const near = nodes.find(({ name }) => claims.some(({ volume }) => volume?.node === name)) ?? nodes.at(0);
            claims
                .filter(({ volume }) => near && volume === undefined)
                .forEach((claim) => this.bind(claim, near!.name));
        }
        const may = (node: string) =>
            claims.every(({ volume }) => volume === undefined || !volume.isLocal || volume.node === node);
        const node = nodes.find(({ name }) => may(name));
        if (node) {
            [pod.node, pod.boundAt] = [node.name, now];
            claims.forEach((claim) => this.bind(claim, node.name));
        }
    }

    private runKubelets(registry: Registry, now: number): void {
        const wanted = (one: Process) => {
            const pod = this.pods.find(({ uid }) => uid === one.podUid);
            return !this.isReachable(this.node(one.node)) || (pod?.isThere === true && pod.node === one.node);
        };
        this.processes = this.processes.filter(wanted);
        for (const pod of this.pods) {
            const volumes = this.claimsOf(pod.name).flatMap(({ volume }) => volume ?? []);
            const hasAll = volumes.length === this.ways.claimsEach(pod.component);
            const mayRun = pod.isThere && !pod.isTerminating && pod.node !== undefined && hasAll;
            if (!mayRun || !this.isReachable(this.node(pod.node as string))) {
                continue;
            }
            const running = this.processes.find(({ podUid }) => podUid === pod.uid);
            if (running === undefined && now - pod.boundAt < this.ways.startMilliseconds) {
                continue;
            }
            if (!registry.admits(pod, volumes)) {
                this.processes = this.processes.filter((one) => one !== running);
            } else if (running === undefined) {
                const { name, uid, component, node } = pod;
                this.processes.push({ pod: name, podUid: uid, component, node: node as string, volumes });
            }
        }
    }

    private uid(kind: string): string {
        return `${kind}-${(this.made += 1)}`;
    }
}
