import type { WirePump, WireRange, WireRangeAnswer } from "../../../provider/pd/wire";
import { pumpNodeId } from "../model/pumps";
import { json, type PdRoute } from "./call";

/** Calls to PD's etcd: of all that it holds, what pumps write there. */
export const etcdRoutes: PdRoute[] = [
    {
        method: "POST",
        pattern: /^\/v3\/kv\/range$/,
        handle: (state, { body }) => {
            const { key = "", range_end: end = "" } = (body ?? {}) as Partial<WireRange>;
            const [from, to] = [key, end].map((text) => Buffer.from(text, "base64").toString("utf8"));
            const kvs = [...state.pumps.values()]
                .map(({ pod, state: pumpState }): [string, WirePump] => [
                    `/tidb-binlog/v1/pumps/${pumpNodeId(pod)}`,
                    {
                        nodeId: pumpNodeId(pod),
                        host: `${pod}.${state.name}-pump:8250`,
                        state: pumpState,
                        isAlive: pumpState === "online",
                    },
                ])
                .filter(([name]) => name >= from && name < to)
                .map(([name, pump]) => ({ key: btoa(name), value: btoa(JSON.stringify(pump)) }));
            const answer: WireRangeAnswer = kvs.length === 0 ? {} : { kvs };
            return json({ header: { cluster_id: String(state.clusterId) }, ...answer });
        },
    },
];
