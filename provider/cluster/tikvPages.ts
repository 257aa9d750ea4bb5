import type { ObservedHeartbeats } from "../lifecycle/vocabulary/observation";

/** The gauge of a store's number of leaders. TiKV refreshes it every 10 s, whatever its heartbeats: `leadersGaugeAge`. */
export const leadersGauge = 'tikv_raftstore_region_count{type="leader"}';

/** @returns the value of the gauge; `undefined` if its line is missing or is not a count. */
export function leadersIn(metrics: string): number | undefined {
    const line = /^tikv_raftstore_region_count\{([^}]*)\}\s+(\S+)/gm;
    for (const [, labels, value] of metrics.matchAll(line)) {
        if (/(^|,)\s*type="leader"\s*(,|$)/.test(labels)) {
            const leaders = Number(value);
            return Number.isInteger(leaders) && leaders >= 0 ? leaders : undefined;
        }
    }
    return undefined;
}

/** @returns how often TiKV reports to PD, from its configuration; `undefined` if the configuration does not contain it. */
export function heartbeatsIn(config: string): ObservedHeartbeats | undefined {
    let raftstore: Record<string, unknown> | undefined;
    try {
        raftstore = (JSON.parse(config) as { raftstore?: Record<string, unknown> } | null)?.raftstore;
    } catch {
        return undefined; // Text that is not JSON contains no intervals.
    }
    const region = milliseconds(raftstore?.["pd-heartbeat-tick-interval"]);
    const store = milliseconds(raftstore?.["pd-store-heartbeat-tick-interval"]);
    return region === undefined || store === undefined ? undefined : { region, store };
}

const units: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1, us: 0.001 };

/** TiKV writes durations as `1m`, `500ms`, `1h30m` (tikv/tikv components/tikv_util/src/config.rs). */
function milliseconds(value: unknown): number | undefined {
    if (typeof value !== "string" || !/^(\d+(\.\d+)?(d|h|ms|us|m|s))+$/.test(value)) {
        return undefined;
    }
    const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(d|h|ms|us|m|s)/g)];
    const sum = parts.reduce((total, [, count, unit]) => total + Number(count) * units[unit], 0);
    return sum > 0 ? sum : undefined;
}
