import type { Component } from "../../../topology/members";
import type { FailureRecord, OperationRecords } from "./observation";

/**
 * Where the volume of a claim is. `elsewhere`: it does not tie its pod to one node, and why. `isGone`: Kubernetes has no node of that
 * name, and none that the volume's affinity asks for. A node that is only not Ready is not gone.
 */
export type VolumePlace =
    | { readonly is: "unbound" }
    | { readonly is: "elsewhere"; readonly why: string }
    | { readonly is: "on-node"; readonly volume: string; readonly node: string; readonly isGone: boolean };

/** A pod whose volumes were given up, because the node with their disks is gone. Kept in the cluster's Lease until the pod may start empty. */
export interface LostVolumes extends Omit<FailureRecord, "replacedBy" | "counts"> {
    readonly component: Component;
    readonly node: string;
}

/** @returns the records with the volumes of a pod that are given up. */
export function withLostVolumes(records: OperationRecords, pod: string, lost: LostVolumes): OperationRecords {
    return { ...records, lostVolumes: { ...records.lostVolumes, [pod]: lost } };
}

/** @returns the records without those of a pod: it starts empty, or nothing was given up. */
export function withoutLostVolumes({ lostVolumes, ...others }: OperationRecords, pod: string): OperationRecords {
    const left = Object.entries(lostVolumes ?? {}).filter(([one]) => one !== pod);
    return left.length === 0 ? others : { ...others, lostVolumes: Object.fromEntries(left) };
}
