import type { PdRegionStatus } from "./model";
import { BadAnswer } from "./wireFields";

/**
 * Reads how many regions are unhealthy from a member's metrics
 * (https://prometheus.io/docs/instrumenting/exposition_formats). Only the leader's numbers mean anything: a member that
 * has never led has zeros, and a former leader has old numbers.
 * @returns undefined if the member does not lead, or the metrics are missing
 */
export function parseRegionStatus(body: string): PdRegionStatus | undefined {
    if (!body.includes("# TYPE ")) {
        throw new BadAnswer("metrics", body.slice(0, 80), "metrics as text");
    }
    const status = {
        missPeer: valueOf(body, 'pd_regions_status{type="miss-peer-region-count"}'),
        downPeer: valueOf(body, 'pd_regions_status{type="down-peer-region-count"}'),
        pendingPeer: valueOf(body, 'pd_regions_status{type="pending-peer-region-count"}'),
    };
    const { missPeer, downPeer, pendingPeer } = status;
    if (!isLeader(body) || missPeer === undefined || downPeer === undefined || pendingPeer === undefined) {
        return undefined;
    }
    const isolation = levelsIn(body);
    return { missPeer, downPeer, pendingPeer, ...(isolation ? { isolation, ...patrolIn(body) } : {}) };
}

/**
 * @returns whether the member leads a PD of microservices. There a scheduling server counts, if there is one, and the leader's own numbers
 * stay zero (tikv/pd server/cluster/scheduling_controller.go).
 */
export function leavesCounting(body: string): boolean {
    return valueOf(body, roleOf("API Service")) === 1;
}

/** PD's leader has these lines only after its first count since it was elected and has loaded its schedulers: 10 to 60 s. */
function levelsIn(body: string): Record<string, number> | undefined {
    const names = [...body.matchAll(/^pd_regions_label_level\{type="([^"]*)"\} /gm)].map(([, name]) => name);
    const levels = names.map((name) => [name, valueOf(body, `pd_regions_label_level{type="${name}"}`)] as const);
    return levels.length === 0 ? undefined : (Object.fromEntries(levels) as Record<string, number>);
}

/**
 * PD sets it after each whole round, and to 0 when it begins and, since 7.5, when it ends to lead. The earlier value of 6.5 to 7.1 is
 * gone by the time that all regions are counted: that is the end of a round, too.
 */
function patrolIn(body: string): { patrolSeconds?: number } {
    const seconds = valueOf(body, "pd_checker_patrol_regions_time");
    return seconds ? { patrolSeconds: seconds } : {};
}

/**
 * Whether the member leads a PD that counts, by `service_member_role`, which a member that never led does not have. In versions without
 * that metric, the etcd leader is PD's leader: PD's leader resigns if it is not etcd's (tikv/pd server/server.go).
 */
function isLeader(body: string): boolean {
    const [own, ofMicroservices] = ["PD", "API Service"].map((mode) => valueOf(body, roleOf(mode)));
    const hasRoles = own !== undefined || ofMicroservices !== undefined;
    return hasRoles ? own === 1 : valueOf(body, "etcd_server_is_leader") === 1;
}

function roleOf(mode: string): string {
    return `service_member_role{service="${mode}"}`;
}

/** Reads the number on a metric's line. The text has hundreds of kilobytes, so it is not split into lines. */
function valueOf(body: string, metric: string): number | undefined {
    const start = body.startsWith(`${metric} `) ? 0 : body.indexOf(`\n${metric} `) + 1;
    if (start === 0 && !body.startsWith(`${metric} `)) {
        return undefined;
    }
    const end = body.indexOf("\n", start);
    const text = body.slice(start + metric.length + 1, end < 0 ? undefined : end).trim();
    const value = Number(text);
    if (text === "" || !Number.isFinite(value)) {
        throw new BadAnswer(metric, text, "a number");
    }
    return value;
}
