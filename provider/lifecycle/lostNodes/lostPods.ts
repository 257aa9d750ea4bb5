import type { Component } from "../../../topology/members";
import type { LostVolumes } from "../vocabulary/failureRecord";
import type { VolumePlace } from "../vocabulary/volumePlace";
import type { Observation, ObservedClaim } from "../vocabulary/observation";
import { claimsOf, type PodView, viewOf } from "../vocabulary/stage";
import type { GatePolicy } from "../vocabulary/target";

/** `operations.lostNodes`: these nodes and their disks never come back. */
export interface LostNodesTarget {
    readonly nodes: readonly string[];
    readonly policy: GatePolicy;
}

/** A pod with a volume on one of these nodes, or of which such volumes are given up already. */
export interface LostPod {
    readonly view: PodView;
    /** The node that it has lost. */
    readonly node: string;
    /** Default: nothing is given up yet. */
    readonly record?: LostVolumes;
}

/** Members with data whose replicas are elsewhere, in the order in which they are healed: PD decides about stores. */
const members: readonly Component[] = ["pd", "tiflash", "tikv"];

type OnNode = Extract<VolumePlace, { is: "on-node" }>;

/** @returns the volumes of the pod that are on one of the nodes, whether or not they are gone. */
export function volumesOn(view: PodView, nodes: readonly string[]): OnNode[] {
    return claimsOf(view).flatMap(({ place }) =>
        place?.known && place.value.is === "on-node" && nodes.includes(place.value.node) ? [place.value] : [],
    );
}

/**
 * @returns the claims on record that may hold what was on the lost node. One that had no volume when the loss was recorded, and has one
 * now, got it where the pod started anew: nothing that was lost is on it, unless that is the same node.
 */
export function lostClaims(view: PodView, { node, claims }: Pick<LostVolumes, "node" | "claims">): ObservedClaim[] {
    return claimsOf(view).filter(({ uid, place }) => {
        const recorded = claims.find((one) => one.uid === uid);
        const isSpared = recorded?.isUnbound && place?.known && isElsewhere(place.value, node);
        return recorded !== undefined && !isSpared;
    });
}

function isElsewhere(place: VolumePlace, node: string): boolean {
    return place.is === "elsewhere" || (place.is === "on-node" && place.node !== node);
}

/** Whether the pod uses its volumes on the node again, or may soon. Where those of a Ready pod are is not read. */
export function isBack(view: PodView, node: string): boolean {
    return view.pod?.ready === true || volumesOn(view, [node]).some(({ isGone }) => !isGone);
}

/** @returns the pods that the nodes take with them, in the order in which their volumes are given up. */
export function lostPods(observation: Observation, { nodes, policy }: LostNodesTarget): LostPod[] {
    return members.flatMap((component) => {
        const replicas = observation.members[component]?.statefulSet?.replicas ?? 0;
        const target = { component, replicas, policy };
        return Array.from({ length: replicas }, (_, ordinal) => viewOf(observation, target, ordinal)).flatMap(
            (view): LostPod[] => {
                const record = observation.records.lostVolumes?.[view.podName];
                const node = record?.node ?? volumesOn(view, nodes)[0]?.node;
                return node === undefined || !nodes.includes(node)
                    ? []
                    : [{ view, node, ...(record ? { record } : {}) }];
            },
        );
    });
}

/** @returns why it is not known where volumes are, which may be on one of the nodes; undefined if all is known. */
export function unknownPlace({ members: all }: Observation): string | undefined {
    const claims = members.flatMap((component) => all[component]?.claims ?? []);
    const place = claims.find((one) => one.place?.known === false)?.place;
    return place?.known === false ? place.why : undefined;
}
