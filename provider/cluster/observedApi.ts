import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Component } from "../../topology/members";
import type { ObservedMember } from "../lifecycle/vocabulary/observation";
import type { ClusterId } from "./clusterId";
import type { ClaimTemplates, NodesToRead } from "./observeMembers";

/** What an observation reads from Kubernetes: the API server, or what it said last. */
export interface ObservedApi {
    /** Whether it is what the API server said last, which may be out of date. Default: no. */
    readonly mayLag?: boolean;
    /** How many changes the watch had heard of before the API server was asked. Default: nobody watches. */
    readonly changes?: number;
    /**
     * @param now the run's own clock.
     * @param nodes which nodes to read besides those that tell what a container does. Default: none.
     */
    readMembers(
        id: ClusterId,
        components: readonly Component[],
        wanted: ClaimTemplates,
        now: () => number,
        nodes?: NodesToRead,
    ): Promise<ObservedMember[]>;
    readLease(namespace: string, name: string): Promise<V1Lease | undefined>;
    /** The time by the API server's clock, in milliseconds since 1970. Default: it has not told its time. */
    serverNow?(): number | undefined;
}
