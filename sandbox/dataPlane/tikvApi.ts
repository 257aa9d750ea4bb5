import { RefusedSetting, withTikvSettings } from "./facts/tikvConfig";
import { heartbeatSettings, regionGauge, regionGaugeLine } from "./facts/tikvStatus";
import type { ListenerAnswer } from "./listener";
import { type ClusterState, record, type Store } from "./model/cluster";

/** Answers for a TiKV's status port. Serves only the metrics and configuration that gates read, and changes of the configuration. */
export function tikvAnswer(state: ClusterState, pod: string, method: string, url: URL, body: string): ListenerAnswer {
    const store = state.stores.find((one) => one.running && one.claim === state.pods.get(pod)?.claim);
    const { statusPort } = state.faults.stores[pod] ?? {};
    if (store === undefined || statusPort === "refused") {
        return "refused";
    }
    if (statusPort === "nothing") {
        return "nothing";
    }
    if (url.pathname === "/config") {
        return method === "POST"
            ? changeConfig(state, store, body)
            : { ...json, body: JSON.stringify(configOf(state, store)) };
    }
    if (url.pathname !== "/metrics") {
        return { status: 404, contentType: "text/plain", body: "path not found" };
    }
    const gauges = statusPort === "without-gauge" ? undefined : store.gauges;
    return { status: 200, contentType: "text/plain; version=0.0.4", body: `${metrics(gauges).join("\n")}\n` };
}

const json = { status: 200, contentType: "application/json" };

function configOf({ timings }: ClusterState, { config }: Store): object {
    const { regionHeartbeatMilliseconds: region, storeHeartbeatMilliseconds: store } = timings;
    return { ...config, raftstore: { ...(config.raftstore as object), ...heartbeatSettings({ region, store }) } };
}

/**
 * Changes settings. TiKV also writes them into its file. That file is a ConfigMap, so TiKV answers 500 although it has taken the
 * settings over (tikv src/server/status_server/mod.rs, `update_config`; src/config/mod.rs, `write_config`).
 */
function changeConfig(state: ClusterState, store: Store, body: string): ListenerAnswer {
    const failed = (text: string): ListenerAnswer => ({ status: 500, contentType: "text/plain", body: text });
    let changes: unknown;
    try {
        changes = JSON.parse(body);
    } catch (error) {
        return failed(`failed to decode, error: Error("${(error as Error).message}", line: 1, column: 1)`);
    }
    if (typeof changes !== "object" || changes === null || Array.isArray(changes)) {
        return failed('failed to decode, error: "wrong format"');
    }
    if (state.faults.stores[store.pod]?.refusesSettings) {
        return failed('failed to update, error: "invalid configuration"');
    }
    try {
        store.config = withTikvSettings(store.config, changes as Record<string, unknown>);
    } catch (error) {
        if (!(error instanceof RefusedSetting)) {
            throw error;
        }
        return failed(`failed to update, error: ${error.message}`);
    }
    record(state, "config-set", { pod: store.pod, storeId: store.id, detail: JSON.stringify(changes) });
    return failed(
        'config changed, but failed to persist change due to err: Os { code: 30, kind: ReadOnlyFilesystem, message: "Read-only file system" }',
    );
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
