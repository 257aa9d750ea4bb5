import type { KubernetesTarget } from "../provider/cluster/kubernetesTarget";
import type { Leftover } from "../provider/lifecycle/vocabulary/leftover";
import { isRemovable } from "../provider/lifecycle/walks/sweep";

/** Version of the JSON of a sweep. Fields may be added to it; a change that breaks readers gets a new version. */
const sweepApiVersion = "pulumi-tidb.io/v1";

/** What earlier runs left behind in one cluster, and what became of it. Times are ISO 8601 in UTC. */
export interface ClusterSweep {
    /** `metadata.name` of the TidbCluster. */
    readonly name: string;
    readonly namespace: string;
    /** The Kubernetes cluster that was read. */
    readonly kubernetes: KubernetesTarget;
    /** When it was read, by the clock of the machine that read it. */
    readonly at: string;
    readonly leftovers: readonly SweptLeftover[];
    /** What is not known, and why: one line each. If there is any, nothing is removed. */
    readonly notKnown: readonly string[];
    /** Why the removal did not finish; null if it did, or was not asked for. */
    readonly failure: string | null;
}

/** One thing that was left behind. */
export interface SweptLeftover extends Omit<Leftover, "action"> {
    /** Whether it was seen to be gone after the removal; null if its removal was not asked for, or it is kept. */
    readonly isRemoved: boolean | null;
}

/** @returns what was seen before a removal, with what is still there after it. @param after undefined if nothing was removed. */
export function sweptLeftovers(before: readonly Leftover[], after: readonly Leftover[] | undefined): SweptLeftover[] {
    return before.map((one) => {
        const { kind, target, seen, by, isOurs, verdict, why } = one;
        const isLeft = after?.some((left) => left.kind === kind && left.target === target && left.isOurs);
        const isRemoved = isLeft === undefined || !isRemovable(one) ? null : !isLeft;
        return { kind, target, seen, by, isOurs, verdict, why, isRemoved };
    });
}

/** Writes a sweep as JSON for programs. */
export function jsonSweep(sweep: ClusterSweep): string {
    return `${JSON.stringify({ apiVersion: sweepApiVersion, kind: "ClusterSweep", ...sweep }, null, 2)}\n`;
}
