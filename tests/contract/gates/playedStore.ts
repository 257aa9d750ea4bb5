import type { ClientDuplexStream } from "@grpc/grpc-js";
import { setTimeout as pause } from "node:timers/promises";
import { defaultTimes } from "../../../sandbox/dataPlane/facts/defaultTimes";
import { message, numberIn, submessage } from "../pd/protobuf";
import { findLeader } from "../pd/realLeader";
import type { PlayedRegion } from "../pd/realRegions";
import { connectToPd, type PdGrpc, refusalIn } from "./pdGrpc";

/** What a store is played with. */
export interface PlayedStoreOptions {
    readonly id: number;
    /** As it registers with PD: `host:port`. */
    readonly address: string;
    /** The truth: all regions, those of other stores too. */
    readonly regions: readonly PlayedRegion[];
    /** Addresses of PD's members, as `http://host:port`. */
    readonly members: readonly string[];
    /** Of every request: names PD's cluster. */
    readonly header: Buffer;
    readonly regionHeartbeatMilliseconds: number;
    readonly storeHeartbeatMilliseconds: number;
    /** As tests/contract/pd/realStores.ts has it. */
    readonly reconnect: "resends" | "waits";
    /** Hands a region's leadership to another store. @returns whether that store runs. */
    readonly handOver: (region: PlayedRegion, to: number) => boolean;
}

/** One start of a store's process, from its registration with a real PD on. */
export interface StoreProcess {
    /** Milliseconds since 1970, in whole seconds. */
    readonly startedAt: number;
    /** Reports a region that it leads. */
    report(region: PlayedRegion): void;
    /** What its gauge says: its leaders when it was last refreshed, every 10 s from the start of its process. Undefined until then. */
    gauge(): number | undefined;
    /** Ends it, without a goodbye. */
    stop(): void;
}

/** PD answers some calls of stores with a leader to transfer (RegionHeartbeatResponse). */
const transferLeaderField = 3;
const regionIdField = 4;
const transferMilliseconds = 100;

/** Starts a store's process. It registers as soon as PD has a leader, and goes on reporting until it is stopped. */
export function startStore(options: PlayedStoreOptions): StoreProcess {
    const { id, regions, header } = options;
    const started = Math.floor(Date.now() / 1000);
    let pd: PdGrpc | undefined;
    let reports: ClientDuplexStream<Buffer, Buffer> | undefined;
    let connecting: Promise<PdGrpc> | undefined;
    let gauge: number | undefined;
    let isStopped = false;

    const own = () => regions.filter(({ leader }) => leader === id);
    const report = (region: PlayedRegion) => reports?.write(region.report(header));
    const lose = (lost: unknown) => {
        if (lost === reports && !isStopped) {
            reports = undefined;
            if (options.reconnect === "waits") {
                connect().catch(() => undefined); // The next tick tries again.
            }
        }
    };
    const hear = (answer: Buffer, from: unknown) => {
        if (refusalIn(answer)) {
            lose(from);
            return;
        }
        const transfer = submessage(answer, transferLeaderField);
        const region = regions.find((one) => one.id === numberIn(answer, regionIdField));
        const to = transfer && numberIn(submessage(transfer, 1) ?? Buffer.alloc(0), 2);
        if (region && to) {
            setTimeout(() => {
                if (!isStopped && region.leader === id && region.stores.includes(to)) {
                    options.handOver(region, to);
                }
            }, transferMilliseconds);
        }
    };
    const open = async (): Promise<PdGrpc> => {
        const address = await findLeader(options.members);
        if (isStopped) {
            throw new Error(`store ${id} was stopped`);
        }
        pd?.close();
        const connected = connectToPd(address);
        const opened = connected.openReports();
        opened.on("error", () => lose(opened));
        opened.on("end", () => lose(opened));
        opened.on("data", (answer: Buffer) => hear(answer, opened));
        pd = connected;
        reports = opened;
        return connected;
    };
    const connect = () => {
        connecting ??= open().finally(() => (connecting = undefined));
        return connecting;
    };
    const beat = (to: PdGrpc) => {
        const { length } = regions.filter(({ stores }) => stores.includes(id));
        const stats = message([1, id], [2, 2 ** 40], [3, 2 ** 39], [4, length], [7, started]);
        return to.tell("StoreHeartbeat", message([1, header], [2, stats]));
    };
    const tick = async () => {
        try {
            if (!pd || !reports) {
                throw new Error(`store ${id} has no stream to PD`);
            }
            await beat(pd);
        } catch {
            // As TiKV: the call fails, the store looks for PD's leader, and tries once more.
            await beat(await connect());
            (options.reconnect === "resends" ? own() : []).forEach(report);
        }
    };
    const register = async () => {
        const store = message([1, id], [2, options.address], [5, "8.5.4"], [9, started]);
        while (!isStopped) {
            try {
                await (await connect()).tell("PutStore", message([1, header], [2, store]));
                await tick();
                own().forEach(report);
                return;
            } catch {
                await pause(300); // PD has no leader now: TiKV tries until it has one.
            }
        }
    };

    let beats: NodeJS.Timeout | undefined;
    void register().then(() => {
        if (!isStopped) {
            beats = setInterval(() => void tick().catch(() => undefined), options.storeHeartbeatMilliseconds);
        }
    });
    const counting = setInterval(() => (gauge = own().length), defaultTimes.regionGauge);
    // Each region has a moment of its own within the interval.
    let last = performance.now();
    const reporting = setInterval(() => {
        const now = performance.now();
        const interval = options.regionHeartbeatMilliseconds;
        own()
            .filter(({ phase }) => Math.floor(now / interval - phase) > Math.floor(last / interval - phase))
            .forEach(report);
        last = now;
    }, 50);
    return {
        startedAt: started * 1000,
        report,
        gauge: () => gauge,
        stop() {
            isStopped = true;
            clearInterval(beats);
            clearInterval(counting);
            clearInterval(reporting);
            reports?.cancel();
            pd?.close();
        },
    };
}
