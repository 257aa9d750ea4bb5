import { heartbeatConfig, regionGauge, regionGaugeLine } from "./facts/tikvStatus";
import type { ListenerAnswer } from "./listener";
import type { ClusterState } from "./model/cluster";

/** Answers for a TiKV's status port. Serves only the metrics and configuration that gates read. */
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

/** The numbers of leaders and regions from the store's own last count. There is no line before the first count. */
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
