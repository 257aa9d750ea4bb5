import { heartbeatConfig, regionGauge, regionGaugeLine } from "./facts/tikvStatus";
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
        const { regionHeartbeatMilliseconds: region, storeHeartbeatMilliseconds: store } = state.timings;
        return {
            status: 200,
            contentType: "application/json",
            body: JSON.stringify(heartbeatConfig({ region, store })),
        };
    }
    if (url.pathname !== "/metrics") {
        return { status: 404, contentType: "text/plain", body: "path not found" };
    }
    const gauges = statusPort === "without-gauge" ? undefined : store.gauges;
    return { status: 200, contentType: "text/plain; version=0.0.4", body: `${metrics(gauges).join("\n")}\n` };
}

/** What the store itself leads and holds, as it counted last; no line before the first time. */
function metrics(gauges: { leaders: number; regions: number } | undefined): string[] {
    return gauges === undefined
        ? []
        : [
              `# HELP ${regionGauge} Number of regions collected in region_collector`,
              `# TYPE ${regionGauge} gauge`,
              regionGaugeLine("leader", gauges.leaders),
              regionGaugeLine("region", gauges.regions),
          ];
}
