import type { ListenerAnswer } from "./listener";
import type { ClusterState } from "./model/cluster";

/** What a TiKV's status port answers: of its metrics and its configuration, what gates look at. */
export function tikvAnswer(state: ClusterState, pod: string, url: URL): ListenerAnswer {
    const store = state.stores.find((one) => one.running && one.claim === state.pods.get(pod)?.claim);
    const { statusPort } = state.faults.stores[pod] ?? {};
    if (store === undefined || statusPort === "refused") {
        return "refused";
    }
    if (statusPort === "nothing") {
        return "nothing";
    }
    if (url.pathname === "/config") {
        const raftstore = {
            "pd-heartbeat-tick-interval": readableDuration(state.timings.regionHeartbeatMilliseconds),
            "pd-store-heartbeat-tick-interval": readableDuration(state.timings.storeHeartbeatMilliseconds),
        };
        return { status: 200, contentType: "application/json", body: JSON.stringify({ raftstore }) };
    }
    if (url.pathname !== "/metrics") {
        return { status: 404, contentType: "text/plain", body: "path not found" };
    }
    const gauges = statusPort === "without-gauge" ? undefined : store.gauges;
    return { status: 200, contentType: "text/plain; version=0.0.4", body: `${metrics(gauges).join("\n")}\n` };
}

/** What the store itself leads and holds, as it counted last; no line before the first time. */
function metrics(gauges: { leaders: number; regions: number } | undefined): string[] {
    const name = "tikv_raftstore_region_count";
    return gauges === undefined
        ? []
        : [
              `# HELP ${name} Number of regions collected in region_collector`,
              `# TYPE ${name} gauge`,
              `${name}{type="leader"} ${gauges.leaders}`,
              `${name}{type="region"} ${gauges.regions}`,
          ];
}

/** A duration as TiKV writes it, such as `1m`, `10s` or `1s500ms`: whole numbers, zeros left out. */
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
