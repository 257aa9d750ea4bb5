import { isolationLevel } from "../facts/isolation";
import { patrolSeconds } from "../facts/patrol";
import { defaultSchedulers } from "../facts/schedulers";
import type { ClusterState } from "../model/cluster";
import { leaderOf, memberOfPod } from "../model/members";
import { locationLabels } from "../model/places";
import { regionOf } from "../model/regionPeers";
import { type PdAnswer, type PdRequest, type PdRoute, text } from "./call";

/** A member's own metrics, limited to the gauges of regions and schedulers. */
export const metricsRoutes: PdRoute[] = [{ method: "GET", pattern: /^\/metrics$/, handle: metrics, byMember: true }];

/** Kinds of regions that the model does not have. Their gauges are always 0. */
const alwaysNone = ["empty-region", "extra-peer", "oversized-region", "undersized-region", "witness-leader"];

/**
 * A real PD exposes the lines of `pd_regions_status` from the start of its process, with zeros, whether or not it
 * leads. It counts only while it leads. The other lines appear with the first count after it has loaded its schedulers.
 */
function metrics(state: ClusterState, { pod }: PdRequest): PdAnswer {
    const leads = memberOfPod(state, pod) === leaderOf(state);
    const counted = leads ? state.leadership?.counted : undefined;
    const counts = {
        ...Object.fromEntries(alwaysNone.map((kind) => [kind, 0])),
        "down-peer": counted?.down.length ?? 0,
        "learner-peer": counted?.learner.length ?? 0,
        "miss-peer": counted?.miss.length ?? 0,
        "offline-peer": counted?.offline.length ?? 0,
        "pending-peer": counted?.pending.length ?? 0,
    };
    const status = Object.entries(counts).map(
        ([kind, count]) => `pd_regions_status{type="${kind}-region-count"} ${count}`,
    );
    const levels = counted?.withSchedulers && state.regions > 0 ? isolationLevels(state) : {};
    const labels = Object.entries(levels).map(([level, count]) => `pd_regions_label_level{type="${level}"} ${count}`);
    const schedulers = counted?.withSchedulers
        ? [...defaultSchedulers].sort().map((name) => `pd_scheduler_status{kind="${name}",type="allow"} 1`)
        : [];
    // The patrol begins with the schedulers. Before its first round, and once the member leads no more, the line is there and says 0.
    const patrol = counted?.withSchedulers && state.regions > 0 ? patrolSeconds(state.regions) : 0;
    const lines = [
        ...gauge("etcd_server_is_leader", "Whether or not this member is a leader. 1 if is, 0 otherwise.", [
            `etcd_server_is_leader ${leads ? 1 : 0}`,
        ]),
        ...gauge("pd_checker_patrol_regions_time", "Time spent of patrol checks region.", [
            `pd_checker_patrol_regions_time ${patrol}`,
        ]),
        ...gauge("pd_regions_label_level", "Number of regions in the different label level.", labels),
        ...gauge("pd_regions_status", "Status of the regions.", status.sort()),
        ...gauge("pd_scheduler_status", "Status of the scheduler.", schedulers),
        ...gauge(
            "service_member_role",
            "The leader/primary of services",
            leads ? ['service_member_role{service="PD"} 1'] : [],
        ),
    ];
    return text(`${lines.join("\n")}\n`, 200, "text/plain; version=0.0.4; charset=utf-8; escaping=values");
}

function gauge(name: string, help: string, lines: string[]): string[] {
    return lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...lines];
}

/** The number of regions by the first location label that distinguishes all their stores but those of TiFlash. `none` if no label does. */
function isolationLevels(state: ClusterState): Record<string, number> {
    const labels = locationLabels(state);
    const levels: Record<string, number> = {};
    if (labels.length === 0) {
        return { none: state.regions }; // No label distinguishes any: that needs no region's stores.
    }
    for (let index = 0; index < state.regions; index++) {
        const stores = regionOf(state, index).peers.map(({ store }) => store);
        const labelled = stores.filter(({ engine }) => engine === "tikv").map((store) => store.labels);
        const level = isolationLevel(labelled, labels);
        levels[level] = (levels[level] ?? 0) + 1;
    }
    return levels;
}
