import type { PdRegionStatus } from "./model";
import { BadAnswer } from "./wireFields";

/**
 * Reads how many regions are short of something from a member's metrics
 * (https://prometheus.io/docs/instrumenting/exposition_formats). Every member has these lines, with zeros where it never
 * led and with old numbers where it once did, so those of a member that does not lead say nothing.
 * @returns undefined where the member does not lead, or the lines are not there
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
    if (!leads(body) || missPeer === undefined || downPeer === undefined || pendingPeer === undefined) {
        return undefined;
    }
    return { missPeer, downPeer, pendingPeer };
}

/**
 * A member that leads says so by `service_member_role`, which has no line where it never led. Versions without that metric
 * have the etcd leader's, which PD's leader is, too: it resigns where it is not (tikv/pd server/server.go).
 */
function leads(body: string): boolean {
    const roles = ["PD", "API Service"].map((mode) => valueOf(body, `service_member_role{service="${mode}"}`));
    return (
        roles.includes(1) || (roles.every((role) => role === undefined) && valueOf(body, "etcd_server_is_leader") === 1)
    );
}

/** The number on the line of a metric. The text is hundreds of kilobytes long, and is not taken apart for a few lines. */
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
