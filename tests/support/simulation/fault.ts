import type { Action } from "../../../provider/lifecycle/vocabulary/move";
import type { Component } from "../../../topology/members";
import type { ClusterKey } from "./clusterKey";

/** What goes wrong, when. Times are milliseconds, durations seconds. */
export type Fault = {
    /** When; with `after`, how long after that. */
    at: number;
    seconds: number;
    on?: ClusterKey;
    /** It waits for the n-th action of a kind: most harm is done right then. */
    after?: { action: Action["do"]; nth: number };
} & (
    | {
          kind: "pod-deleted" | "crash" | "sidecar-down" | "node-down" | "node-cut";
          component: Component;
          ordinal: number;
      }
    | {
          kind:
              | "api-silent"
              | "api-slow"
              | "pd-silent"
              | "pd-slow"
              | "evictions-stuck"
              | "eviction-lost"
              | "pd-leader-moves";
      }
    | { kind: "keeps-paused" | "pd-clock-jumps" }
    | { kind: RegionFault; region: number }
    | { kind: "gauge-gone" | "foreign-eviction"; ordinal: number }
    | { kind: "list"; list: ListFault["kind"]; ordinal: number }
);

/** What goes wrong with single regions. */
export type RegionFault = "peers-lag" | "peer-lost" | "joint-stuck" | "region-moves" | "leaders-move";

/** What PD's list of stores shows, where it is not the truth. */
export interface ListFault {
    kind: "empty" | "partial" | "stale" | "not-bootstrapped" | "doubled" | "elsewhere";
    until: number;
    /** Which store lacks, or is doubled. */
    store: number;
    seen?: unknown;
}
