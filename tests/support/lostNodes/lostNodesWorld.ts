import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import {
    type Observation,
    type ObservedMember,
    type ObservedStore,
    unreachablePd,
} from "../../../provider/lifecycle/vocabulary/observation";
import type { VolumePlace } from "../../../provider/lifecycle/vocabulary/volumePlace";
import type { Component } from "../../../topology/members";
import { observed, now as start, storeOf, tiflashStoreOf } from "../lifecycle/observations";
import { type Claim, Machines, type Pod, type Volume } from "./machines";
import { PlacementDriver, type Store } from "./placementDriver";

/** How a cluster on nodes of its own begins. */
export interface LostNodesStart {
    readonly tikv: number;
    readonly pd: number;
    readonly tiflash: number;
    /** Nodes beyond those that pods of TiKV run on. */
    readonly spare: number;
    readonly remakesClaims: boolean;
    readonly bindsAtOnce: boolean;
    readonly startSeconds: number;
    /** Whether nodes have other names than their hosts, by which volumes are tied to them. */
    readonly namesHosts: boolean;
    /** How many claims each pod of these members has. */
    readonly claims: Readonly<Record<"tikv" | "pd" | "tiflash", number>>;
    /** Claims of pods, as `basic-tikv-0/1`, whose volumes are of the network: any node may use them. */
    readonly onNetwork: readonly string[];
}

export const nodeName = (index: number): string => `node-${index}`;
/** The state of the world is looked at this often at least. */
const stepMilliseconds = 20_000;

/** Nodes, pods and PD in truth, and what a gate sees of them. */
export class LostNodesWorld {
    now = start;
    readonly machines: Machines;
    readonly pd: PlacementDriver;
    /** We do not hear from PD. */
    isCutFromPd = false;
    /** We may not read volumes and nodes. */
    mayReadPlaces = true;
    /** What the program says of nodes that never come back (`operations.lostNodes`), by the names of the nodes. */
    named: string[] = [];
    private readonly sizes: Readonly<Partial<Record<Component, number>>>;
    private readonly namesHosts: boolean;

    constructor({ tikv, pd, tiflash, spare, namesHosts, claims, onNetwork, ...how }: LostNodesStart) {
        this.sizes = { pd, tiflash, tikv };
        this.namesHosts = namesHosts;
        const nodes = Array.from({ length: tikv + spare }, (_, index) => nodeName(index));
        this.machines = new Machines(nodes, {
            ...how,
            startMilliseconds: how.startSeconds * 1_000,
            claimsEach: (component) => claims[component as keyof typeof claims],
            isOnNetwork: (pod, index) => onNetwork.includes(`${pod}/${index}`),
        });
        this.pd = new PlacementDriver(this.machines);
        const each = (
            component: Component,
            first: number,
            add: (pod: string, volumes: readonly Volume[]) => unknown,
        ) => {
            for (let ordinal = 0; ordinal < this.sizes[component]!; ordinal += 1) {
                const node = nodeName((first + ordinal) % nodes.length);
                add(`basic-${component}-${ordinal}`, this.machines.addPod(component, ordinal, node));
            }
        };
        each("pd", 0, (pod, volumes) => this.pd.addMember(pod, volumes));
        each("tikv", 0, (pod, volumes) => this.pd.addStore(pod, "tikv", volumes));
        each("tiflash", tikv - 1, (pod, volumes) => this.pd.addStore(pod, "tiflash", volumes));
        const ids = this.pd.stores.filter(({ engine }) => engine === "tikv").map(({ id }) => id);
        this.pd.regions = ids.map((_, at) => ({
            id: at,
            peers: [0, 1, 2].map((next) => ({
                storeId: ids[(at + next) % ids.length],
                role: "voter" as const,
                isBehind: false,
            })),
        }));
        this.pass(stepMilliseconds);
    }

    pass(milliseconds: number): void {
        for (const end = this.now + milliseconds; this.now < end;) {
            this.now += Math.min(stepMilliseconds, end - this.now);
            this.step();
        }
    }

    /** What follows at once from what has happened. */
    step(): void {
        this.machines.step(this.now, this.pd);
        this.pd.step(this.now);
    }

    pod(name: string): Pod {
        return this.machines.pods.find((one) => one.name === name)!;
    }

    /** Whether Kubernetes has neither a node of this name nor one with its host name. */
    isGone(node: string): boolean {
        const { isListed, isRelabelled } = this.machines.node(node);
        return !isListed || (this.namesHosts && isRelabelled);
    }

    /** The host name by which volumes are tied to a node. */
    hostOf(node: string): string {
        return this.namesHosts ? `host-of-${node}` : node;
    }

    nodeOfHost(host: string): string {
        return host.replace(/^host-of-/, "");
    }

    /** The volumes that a pod has claims on. */
    volumesOf(pod: string): Volume[] {
        return this.machines.claimsOf(pod).flatMap(({ volume }) => volume ?? []);
    }

    /** The only node that a pod can run on with its volumes; undefined if some of them are of the network, or none is bound. */
    nodeOf(pod: string): string | undefined {
        const volumes = this.volumesOf(pod);
        const [first] = volumes;
        return volumes.length > 0 && volumes.every(({ isLocal, node }) => isLocal && node === first.node)
            ? first.node
            : undefined;
    }

    observe({ regions }: LookOptions): Observation {
        const { observation } = observed("tikv", { live: this.sizes.tikv });
        const members = Object.fromEntries(
            Object.keys(this.sizes).map((component) => [component, this.observeMember(component as Component)]),
        );
        const seen: Observation = { ...observation, now: this.now, pdClusterId: "7", members };
        if (this.isCutFromPd || !this.pd.hasQuorum) {
            return { ...seen, ...unreachablePd("PD has no leader") };
        }
        const { leadership } = observation.pd;
        const fact = <T>(value: T) => known(value, "PD", this.now);
        const stores = this.pd.stores.filter(({ isTombstone }) => !isTombstone);
        const tombstones = this.pd.stores.filter(({ isTombstone }) => isTombstone);
        const heldFor = this.now - this.pd.electedAt;
        return {
            ...seen,
            pd: {
                ...observation.pd,
                clusterId: fact("7"),
                leadership: leadership.known ? fact({ ...leadership.value, heldFor }) : leadership,
                stores: fact(stores.map((store) => this.observeStore(store))),
                tombstones: fact(tombstones.map((store) => this.observeStore(store))),
                members: fact(
                    this.pd.members.map(({ id, pod, isHeard }) => ({
                        name: pod,
                        memberId: id,
                        podName: pod,
                        healthy: isHeard,
                    })),
                ),
                leader: fact(this.pd.members.find(({ isHeard }) => isHeard)?.pod),
                ...(typeof regions === "object" && "ofStores" in regions
                    ? { shortRegions: fact({ ...regions, regions: this.pd.regionsOf(regions.ofStores) }) }
                    : {}),
            },
        };
    }

    private observeStore(store: Store): ObservedStore {
        const ordinal = this.pod(store.pod).ordinal;
        const of = store.engine === "tikv" ? storeOf : tiflashStoreOf;
        return of(ordinal, {
            id: store.id,
            state: this.pd.stateOf(store),
            lastHeartbeat: store.heardAt,
            regionCount: this.pd.regionsOf([store.id]).length,
        });
    }

    private observeMember(component: Component): ObservedMember {
        const { statefulSet } = observed(component, { live: this.sizes[component] }).observation.members[component]!;
        const pods = this.machines.pods.filter((pod) => pod.component === component);
        const from = "the API server";
        return {
            component,
            statefulSet,
            pods: pods
                .filter(({ isThere }) => isThere)
                .map((pod) => {
                    const { name, ordinal, uid, node, isTerminating: terminating } = pod;
                    const ready = pod.isReady;
                    const isUnheard = node !== undefined && !this.machines.isReachable(this.machines.node(node));
                    const container = ready
                        ? known({ is: "running" as const, startedAt: start }, from, this.now)
                        : isUnheard
                          ? notKnown(`node ${node} does not report`)
                          : known({ is: "not-started" as const }, from, this.now);
                    const times = { createdAt: start, readySince: ready ? start : undefined };
                    const at = node === undefined ? {} : { node };
                    const common = { name, ordinal, uid, resourceVersion: uid, revision: "new", ...times };
                    return { ...common, ready, terminating, container, ...at };
                }),
            claims: this.machines.claims
                .filter((claim) => pods.some(({ name }) => name === claim.pod))
                .map((claim) => {
                    const pod = this.pod(claim.pod);
                    const place = pod.isReady ? {} : { place: this.placeOf(claim) };
                    return {
                        name: `${claim.index === 0 ? component : `data${claim.index}`}-${claim.pod}`,
                        uid: claim.uid,
                        resourceVersion: claim.uid,
                        ordinal: pod.ordinal,
                        released: false,
                        terminating: claim.isTerminating,
                        ...place,
                    };
                }),
        };
    }

    private placeOf({ volume }: Claim) {
        const place: VolumePlace =
            volume === undefined
                ? { is: "unbound" }
                : volume.isLocal
                  ? {
                        is: "on-node",
                        volume: volume.name,
                        node: this.hostOf(volume.node),
                        isGone: this.isGone(volume.node),
                    }
                  : { is: "elsewhere", why: "its volume is not tied to one node" };
        return this.mayReadPlaces ? known(place, "the API server", this.now) : notKnown("could not read volume: 403");
    }
}
