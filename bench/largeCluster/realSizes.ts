import { stringify } from "lossless-json";
import { decodeWire } from "../../provider/pd/json";

interface SentStore {
    store: { address: string };
    status: { last_heartbeat_ts?: string };
}

/**
 * Makes the simulator's answers as large as those of a real PD 8.5 with real TiKVs. The simulator sends what the client
 * reads; what the client leaves unread has to be transferred and parsed too. From tikv/pd: server/api (answers are indented).
 * @returns the answer of `/pd/api/v1`, indented, and with all fields of stores.
 */
export function realJson(body: string): string {
    const answer = decodeWire(body) as { stores?: SentStore[] } & Partial<SentStore>;
    const stores = answer?.stores ?? (answer?.store && answer.status ? [answer as SentStore] : []);
    stores.forEach(complete);
    return stringify(answer, undefined, 2) ?? body;
}

function complete({ store, status }: SentStore): void {
    const ordinal = /-(\d+)\./.exec(store.address)?.[1] ?? "0";
    Object.assign(store, {
        labels: [
            { key: "zone", value: `zone-${Number(ordinal) % 3}` },
            { key: "host", value: `node-${ordinal}.example.internal` },
        ],
        status_address: store.address.replace(/:\d+$/, ":20180"),
        git_hash: "c0ffee".repeat(7).slice(0, 40),
        deploy_path: "/",
    });
    Object.assign(status, {
        slow_score: 1,
        slow_trend: { cause_value: 250079.88, cause_rate: 0, result_value: 27.5, result_rate: 0 },
        last_heartbeat_ts: String(status.last_heartbeat_ts).replace("Z", "123456Z"),
    });
}

/** How many lines PD's leader has for each store, by family (server/metrics.go, pkg/statistics/store_collection.go). */
const linesOfStore = {
    pd_hotspot_status: 16,
    pd_scheduler_handle_region_heartbeat_duration_seconds_bucket: 32,
    pd_scheduler_handle_store_heartbeat_duration_seconds_bucket: 32,
    pd_scheduler_region_heartbeat_latency_seconds_bucket: 16,
    pd_scheduler_region_heartbeat: 3,
    pd_scheduler_store_status: 35,
};

/** @returns as many lines of metrics as PD's leader has for the stores. */
export function storeMetrics(addresses: readonly string[]): string {
    const line = (family: string, address: string, store: number, type: number): string =>
        `${family}{address="${address}",store="${store + 1}",type="played_line_${type}"} ${29_000 + store}\n`;
    return Object.entries(linesOfStore)
        .flatMap(([family, count]) =>
            addresses.flatMap((address, store) =>
                Array.from({ length: count }, (_, type) => line(family, address, store, type)),
            ),
        )
        .join("");
}
