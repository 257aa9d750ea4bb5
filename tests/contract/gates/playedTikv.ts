import { defaultHeartbeats } from "../../../provider/lifecycle/stages/trustedCounts";
import type { RealPd } from "../pd/realPd";
import { message } from "../pd/protobuf";
import { firstRegion, type PlayedRegion, playedRegions } from "../pd/realRegions";
import { findLeader } from "../pd/realLeader";
import { connectToPd } from "./pdGrpc";
import { startStore, type StoreProcess } from "./playedStore";

/** How the stores of a PD are played. */
export interface PlayedTikvOptions {
    /** By store id, from 1 on: the host of each store. */
    readonly hosts: readonly string[];
    readonly regions: number;
    /** Default: TiKV's. */
    readonly regionHeartbeatMilliseconds?: number;
    /** Default: TiKV's. */
    readonly storeHeartbeatMilliseconds?: number;
    /** What stores do after a change of PD's leader: tests/contract/pd/realStores.ts. Default: `resends`. */
    readonly reconnect?: "resends" | "waits";
}

/** The TiKV of a real PD, played: processes that register, report, move leaders as PD says, and can be stopped. */
export interface PlayedTikv {
    /** How many regions each store leads in truth, by its id. */
    leaders(): Record<number, number>;
    start(id: number): StoreProcess;
    stop(id: number): void;
    /** What the status port of a store's process answers. @throws Error where it does not run. */
    page(id: number, path: string): { status: number; text: string };
    close(): void;
}

/** Bootstraps PD with the first store's host, and starts all of them. */
export async function startTikv(pd: RealPd, options: PlayedTikvOptions): Promise<PlayedTikv> {
    const { hosts, reconnect = "resends" } = options;
    const regionHeartbeatMilliseconds = options.regionHeartbeatMilliseconds ?? defaultHeartbeats.region;
    const storeHeartbeatMilliseconds = options.storeHeartbeatMilliseconds ?? defaultHeartbeats.store;
    const ids = hosts.map((_, index) => index + 1);
    const addressOf = (id: number) => `${hosts[id - 1]}:20160`;
    const header = message([1, BigInt(await pd.client.clusterId())]);
    const members = pd.endpoints.map(({ url }) => url);
    const regions = playedRegions(ids, options.regions, 0);
    const running = new Map<number, StoreProcess>();
    await bootstrap(members, header, message([1, ids[0]], [2, addressOf(ids[0])], [5, "8.5.4"]), ids[0]);

    const handOver = (region: PlayedRegion, to: number) => {
        const taker = running.get(to);
        if (taker) {
            region.leader = to;
            taker.report(region);
        }
        return taker !== undefined;
    };
    const start = (id: number) => {
        const common = { regions, members, header, regionHeartbeatMilliseconds, storeHeartbeatMilliseconds, reconnect };
        const started = startStore({ ...common, id, address: addressOf(id), handOver });
        running.set(id, started);
        return started;
    };
    const stop = (id: number) => {
        running.get(id)?.stop();
        running.delete(id);
    };
    return {
        leaders: () => Object.fromEntries(ids.map((id) => [id, regions.filter(({ leader }) => leader === id).length])),
        start,
        stop,
        page: (id, path) => {
            const process = running.get(id);
            if (!process) {
                throw new Error("does not answer: connect ECONNREFUSED");
            }
            const raftstore = {
                "pd-heartbeat-tick-interval": `${regionHeartbeatMilliseconds}ms`,
                "pd-store-heartbeat-tick-interval": `${storeHeartbeatMilliseconds}ms`,
            };
            return { status: 200, text: path === "/config" ? JSON.stringify({ raftstore }) : metrics(process.gauge()) };
        },
        close: () => [...running.keys()].forEach(stop),
    };
}

/** As TiKV writes it: the line is there once the gauge was set. */
function metrics(leaders: number | undefined): string {
    const lines = ["# TYPE tikv_raftstore_region_count gauge"];
    return [...lines, ...(leaders === undefined ? [] : [`tikv_raftstore_region_count{type="leader"} ${leaders}`])].join(
        "\n",
    );
}

async function bootstrap(members: readonly string[], header: Buffer, store: Buffer, id: number): Promise<void> {
    const pd = connectToPd(await findLeader(members));
    await pd.tell("Bootstrap", message([1, header], [2, store], [3, firstRegion(id)]));
    pd.close();
}
