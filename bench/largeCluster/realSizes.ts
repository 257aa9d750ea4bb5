import { decodeWire } from "../../provider/pd/json";
import { stringify } from "lossless-json";

/**
 * Makes the simulator's answers as large as those of a real PD 8.5 with real TiKVs. The simulator sends what the client
 * reads; what the client leaves unread has to be transferred and parsed too. From tikv/pd: server/api (answers are
 * indented), server/metrics.go and pkg/statistics/store_collection.go (lines for each store).
 */

interface SentStore {
    store: { address: string; [field: string]: unknown };
    status: Record<string, unknown>;
}

/** @returns the answer of `/pd/api/v1`, indented, and with all fields of stores. */
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

const histograms = {
    // Buckets by name: ExponentialBuckets in server/metrics.go.
    pd_scheduler_handle_region_heartbeat_duration_seconds: 29,
    pd_scheduler_handle_store_heartbeat_duration_seconds: 29,
    pd_scheduler_region_heartbeat_latency_seconds: 13,
};
const statusTypes = [
    ...["region_score", "leader_score", "region_size", "region_count", "leader_size", "leader_count", "witness_count"],
    ...["learner_count", "store_available", "store_used", "store_capacity", "store_slow_trend_cause_value"],
    ...["store_slow_trend_cause_rate", "store_slow_trend_result_value", "store_slow_trend_result_rate"],
    ...["write_rate_bytes", "read_rate_bytes", "write_rate_keys", "read_rate_keys", "write_query_rate"].flatMap(
        (load) => [`store_${load}`, `store_${load}_instant`],
    ),
    ...["store_read_query_rate", "store_cpu_usage", "store_disk_read_rate", "store_disk_write_rate"],
    ...["store_regions_write_rate_bytes", "store_regions_write_rate_keys"],
];
const hotTypes = ["read", "write"].flatMap((kind) =>
    ["leader", "peer"].flatMap((role) =>
        ["bytes", "keys", "query"]
            .map((load) => `total_${kind}_${load}_as_${role}`)
            .concat(`hot_${kind}_region_as_${role}`),
    ),
);
const heartbeatTypes = [
    ["report", "ok"],
    ["report", "bind"],
    ["hb", "ok"],
];

/** @returns the lines that PD's leader has for each store, by family. */
export function storeMetrics(addresses: readonly string[]): string {
    const each = (line: (labels: string, index: number) => string[]) =>
        addresses.flatMap((address, index) => line(`address="${address}",store="${index + 1}"`, index));
    const families: [string, string, string[]][] = [
        [
            "pd_hotspot_status",
            "gauge",
            each((of, index) => hotTypes.map((type) => `pd_hotspot_status{${of},type="${type}"} ${index * 97}`)),
        ],
        ...Object.entries(histograms).map(([name, buckets]): [string, string, string[]] => [
            name,
            "histogram",
            each((of, index) => [
                ...Array.from(
                    { length: buckets },
                    (_, power) => `${name}_bucket{${of},le="${0.0001 * 2 ** power}"} ${1000 * power + index}`,
                ),
                `${name}_bucket{${of},le="+Inf"} ${29_000 + index}`,
                `${name}_sum{${of}} ${12.345678 + index}`,
                `${name}_count{${of}} ${29_000 + index}`,
            ]),
        ]),
        [
            "pd_scheduler_region_heartbeat",
            "counter",
            each((of, index) =>
                heartbeatTypes.map(
                    ([type, status]) =>
                        `pd_scheduler_region_heartbeat{${of},status="${status}",type="${type}"} ${index}`,
                ),
            ),
        ],
        [
            "pd_scheduler_store_status",
            "gauge",
            each((of, index) =>
                statusTypes.map((type) => `pd_scheduler_store_status{${of},type="${type}"} ${1.0625e11 + index}`),
            ),
        ],
    ];
    return families
        .flatMap(([name, type, lines]) => [`# HELP ${name} Of each store.`, `# TYPE ${name} ${type}`, ...lines, ""])
        .join("\n");
}
