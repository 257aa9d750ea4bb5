import type { PdStore } from "../../../provider/pd";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { Component } from "../../../topology/members";
import type { ClusterKey } from "./clusterKey";

/** A fault and its time. Times are in milliseconds, durations in seconds. */
export type Fault = {
    /** When the fault starts. With `after`, the delay after the action. */
    at: number;
    seconds: number;
    on?: ClusterKey;
    /** The fault waits for the n-th action of a kind, because faults do the most harm right after an action. */
    after?: { action: Action["do"]; nth: number };
} & (
    | {
          kind: "pod-deleted" | "crash" | "sidecar-down" | "node-down" | "node-cut" | "node-cordoned";
          component: Component;
          ordinal: number;
      }
    | {
          kind:
              | "api-unreachable"
              | "api-slow"
              | "pd-unreachable"
              | "pd-slow"
              | "evictions-stuck"
              | "eviction-lost"
              | "pd-leader-moves";
      }
    | { kind: "keeps-paused" | "pd-clock-jumps" | "nodes-full" }
    | { kind: RegionFault; region: number }
    | { kind: "gauge-gone" | "foreign-eviction" | "store-busy" | "limit-set"; ordinal: number }
    | { kind: "list"; list: ListFault["kind"]; ordinal: number }
);

/** A fault of individual regions. */
export type RegionFault =
    "misplaced" | "peers-lag" | "peer-lost" | "joint-stuck" | "leaderless" | "region-moves" | "leaders-move";

/** A fault of PD's list of stores. */
export interface ListFault {
    kind: "empty" | "partial" | "stale" | "not-bootstrapped" | "doubled" | "elsewhere";
    until: number;
    /** The store that is missing or doubled. */
    store: number;
    /** What a stale list shows. Default: it was not asked for yet. */
    seen?: PdStore[];
}
