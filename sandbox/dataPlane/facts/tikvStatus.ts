/** The heartbeat settings in TiKV's `/config`, in its table `raftstore`. The parameters are in milliseconds. */
export function heartbeatSettings({ region, store }: { region: number; store: number }): Record<string, string> {
    return {
        "pd-heartbeat-tick-interval": readableDuration(region),
        "pd-store-heartbeat-tick-interval": readableDuration(store),
    };
}

/**
 * The gauge in TiKV's `/metrics` that counts regions. It has no lines until the store has counted for the first time.
 */
export const regionGauge = "tikv_raftstore_region_count";

/** A line of that gauge: the regions that the store leads, or those that it has a peer of. */
export function regionGaugeLine(type: "leader" | "region", count: number): string {
    return `${regionGauge}{type="${type}"} ${count}`;
}

/** A duration in TiKV's format, such as `1m`, `10s` or `1s500ms`: whole numbers, without zero parts. */
function readableDuration(milliseconds: number): string {
    const units: [string, number][] = [
        ["h", 3_600_000],
        ["m", 60_000],
        ["s", 1000],
        ["ms", 1],
    ];
    let rest = Math.round(milliseconds);
    const parts = units.map(([unit, length]) => {
        const count = Math.floor(rest / length);
        rest -= count * length;
        return count === 0 ? "" : `${count}${unit}`;
    });
    return parts.join("") || "0s";
}
