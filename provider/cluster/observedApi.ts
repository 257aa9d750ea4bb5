import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Component } from "../../topology/members";
import type { ObservedMember } from "../lifecycle/vocabulary/observation";
import type { ClusterId } from "./clusterId";
import type { ClaimTemplates } from "./observeMembers";

/** What an observation reads from Kubernetes: the API server, or what it said last. */
export interface ObservedApi {
    /** Whether it is what the API server said last, which may be out of date. Default: no. */
    readonly mayLag?: boolean;
    /** How many changes the watch had heard of before the API server was asked. Default: nobody watches. */
    readonly changes?: number;
    /**
     * @param now the run's own clock.
     * @param withZones whether to read the node of every pod, for its zone. Default: false.
     */
    readMembers(
        id: ClusterId,
        components: readonly Component[],
        wanted: ClaimTemplates,
        now: () => number,
        withZones?: boolean,
    ): Promise<ObservedMember[]>;
    readLease(namespace: string, name: string): Promise<V1Lease | undefined>;
}
