import * as grpc from "@grpc/grpc-js";
import { message, numberIn, submessage } from "./protobuf";
import { findLeader } from "./realLeader";
import type { RealPdTls } from "./realPd";
import { firstRegion, playedRegions, type PlayedRegion } from "./realRegions";

/** How stores are played to a real PD. */
export interface RealStoresOptions {
    /** Addresses of PD's members, as `http://host:port`. */
    readonly members: readonly string[];
    readonly clusterId: string;
    /** The first store bootstraps the cluster. */
    readonly ids: readonly number[];
    /** Of each store, by its id. Default: none. */
    readonly labels?: (id: number) => Readonly<Record<string, string>>;
    /** Each with peers on three of the stores in turn, or on all where there are fewer. Default: one, on the first store. */
    readonly regions?: number;
    /** How many of the regions have a pending peer. Default: none. */
    readonly pending?: number;
    /** How often a region's leader reports it. TiKV's default: 60 s. */
    readonly regionHeartbeatMilliseconds: number;
    /** How often a store reports. TiKV's default: 10 s. */
    readonly storeHeartbeatMilliseconds: number;
    /** How long it takes to move a leader to another store. Default: 0. */
    readonly transferMilliseconds?: number;
    /**
     * What a store does after a change of PD's leader. `resends`, as TiKV: it notices with its next report, and then reports
     * all regions that it leads. `waits`: it notices at once, and reports each region when its time has come.
     */
    readonly reconnect: "resends" | "waits";
    readonly tls?: Pick<RealPdTls, "ca" | "client" | "serverName">;
}

/** Stores that are none: they register with a real PD, report, and move leaders as it says, as TiKV does over gRPC. */
export interface RealStores {
    /** How many regions each store leads in truth, by its id. */
    leaders(): Record<number, number>;
    /** Moves leaders to a store, as an election of their own does: PD is told, where it has a leader to tell. */
    moveLeaders(to: number, count: number): void;
    /** Registers one more store, which does not report. */
    register(id: number): Promise<void>;
    /** Reports it once. */
    report(id: number): Promise<void>;
    close(): void;
}

/** Registers the stores and keeps them reporting. */
export async function startStores(options: RealStoresOptions): Promise<RealStores> {
    const { ids, clusterId } = options;
    const header = message([1, BigInt(clusterId)]);
    const regions = playedRegions(ids, options.regions ?? 1, options.pending ?? 0);
    const address = await findLeader(options.members, options.tls);
    const client = connect(address, options);
    const started = Math.floor(Date.now() / 1000);
    const store = (id: number) => {
        const labels = Object.entries(options.labels?.(id) ?? {}).map(([key, value]) => message([1, key], [2, value]));
        const ofStore = labels.map((label) => [4, label] as const);
        return message([1, id], [2, `127.0.0.1:${20160 + id}`], ...ofStore, [5, "8.5.4"], [9, started]);
    };
    await unary(client, "Bootstrap", message([1, header], [2, store(ids[0])], [3, firstRegion(ids[0])]));
    for (const id of ids.slice(1)) {
        await unary(client, "PutStore", message([1, header], [2, store(id)]));
    }
    client.close();
    const once = async (method: string, request: Buffer) => {
        const leader = connect(await findLeader(options.members, options.tls), options);
        await unary(leader, method, request).finally(() => leader.close());
    };
    const playedStores = new Map<number, PlayedStore>();
    for (const id of ids) {
        const tell = (to: number, region: PlayedRegion) => playedStores.get(to)?.send(region);
        playedStores.set(id, playStore(id, regions, header, options, tell));
    }
    await Promise.all([...playedStores.values()].map((one) => one.ready));
    return {
        leaders: () => Object.fromEntries(ids.map((id) => [id, regions.filter(({ leader }) => leader === id).length])),
        moveLeaders: (to, count) => {
            const others = regions.filter(({ leader, stores }) => leader !== to && stores.includes(to));
            for (const region of others.slice(-count)) {
                region.leader = to;
                playedStores.get(to)?.send(region);
            }
        },
        register: (id) => once("PutStore", message([1, header], [2, store(id)])),
        report: (id) => once("StoreHeartbeat", message([1, header], [2, statsOf(id, 0)])),
        close: () => playedStores.forEach((one) => one.close()),
    };
}

/** What a store says of itself. */
function statsOf(id: number, regions: number): Buffer {
    return message([1, id], [2, 2 ** 40], [3, 2 ** 39], [4, regions], [7, Math.floor(Date.now() / 1000)]);
}

interface PlayedStore {
    /** Settled when it has reported for the first time. */
    readonly ready: Promise<void>;
    /** Reports a region that it leads. */
    send(region: PlayedRegion): void;
    close(): void;
}

function playStore(
    id: number,
    regions: readonly PlayedRegion[],
    header: Buffer,
    options: RealStoresOptions,
    tell: (store: number, region: PlayedRegion) => void,
): PlayedStore {
    let client: grpc.Client | undefined;
    let stream: grpc.ClientDuplexStream<Buffer, Buffer> | undefined;
    let connecting: Promise<void> | undefined;
    let closed = false;
    const own = () => regions.filter(({ leader }) => leader === id);

    const send = (region: PlayedRegion) => stream?.write(region.report(header));
    const move = (region: PlayedRegion, to: number) => {
        if (region.leader === id && region.stores.includes(to)) {
            region.leader = to;
            tell(to, region);
        }
    };
    const lose = (lost: unknown) => {
        if (lost === stream && !closed) {
            stream = undefined;
            if (options.reconnect === "waits") {
                reconnect().catch((error: unknown) => {
                    if (!closed) {
                        throw error;
                    }
                });
            }
        }
    };
    const open = async () => {
        const address = await findLeader(options.members, options.tls);
        if (closed) {
            return;
        }
        client?.close();
        client = connect(address, options);
        const opened = client.makeBidiStreamRequest("/pdpb.PD/RegionHeartbeat", asIs, asIs);
        stream = opened;
        opened.on("error", () => lose(opened));
        opened.on("end", () => lose(opened));
        opened.on("data", (answer: Buffer) => {
            if (submessage(submessage(answer, 1) ?? Buffer.alloc(0), 2)) {
                lose(opened);
                return;
            }
            const transfer = submessage(answer, 3);
            const region = regions.find((one) => one.id === numberIn(answer, 4));
            const to = transfer && numberIn(submessage(transfer, 1) ?? Buffer.alloc(0), 2);
            if (region && to) {
                setTimeout(() => move(region, to), options.transferMilliseconds ?? 0);
            }
        });
    };
    const reconnect = () => {
        connecting ??= open().finally(() => (connecting = undefined));
        return connecting;
    };
    const beat = async () => {
        const { length } = regions.filter(({ stores }) => stores.includes(id));
        await unary(client!, "StoreHeartbeat", message([1, header], [2, statsOf(id, length)]));
    };
    const tick = async () => {
        try {
            if (!stream) {
                throw new Error("no stream");
            }
            await beat();
        } catch {
            // As TiKV: the call fails, the store looks for PD's leader, and tries once more.
            await reconnect();
            if (!closed) {
                await beat();
                (options.reconnect === "resends" ? own() : []).forEach(send);
            }
        }
    };
    const ready = reconnect().then(async () => {
        await beat();
        own().forEach(send);
    });
    const beats = setInterval(() => void tick().catch(() => {}), options.storeHeartbeatMilliseconds);
    // Each region has a moment of its own within the interval.
    let last = performance.now();
    const reports = setInterval(() => {
        const now = performance.now();
        const interval = options.regionHeartbeatMilliseconds;
        own()
            .filter(({ phase }) => Math.floor(now / interval - phase) > Math.floor(last / interval - phase))
            .forEach(send);
        last = now;
    }, 50);
    return {
        ready,
        send,
        close() {
            closed = true;
            clearInterval(beats);
            clearInterval(reports);
            stream?.cancel();
            client?.close();
        },
    };
}

const asIs = (bytes: Buffer) => bytes;

function connect(address: string, { tls }: RealStoresOptions): grpc.Client {
    const credentials = tls
        ? grpc.credentials.createSsl(...[tls.ca, tls.client.key, tls.client.cert].map((text) => Buffer.from(text)))
        : grpc.credentials.createInsecure();
    return new grpc.Client(address, credentials, {
        "grpc.use_local_subchannel_pool": 1,
        ...(tls ? { "grpc.ssl_target_name_override": tls.serverName("basic-pd-0") } : {}),
    });
}

function unary(client: grpc.Client, method: string, request: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
        const deadline = Date.now() + 2000;
        client.makeUnaryRequest(`/pdpb.PD/${method}`, asIs, asIs, request, { deadline }, (error, response) => {
            // PD puts its own errors into the answer's header: ResponseHeader.error, Error.message.
            const refusal = response && submessage(submessage(response, 1) ?? Buffer.alloc(0), 2);
            if (error || refusal) {
                reject(error ?? new Error(`${method}: ${submessage(refusal!, 2)?.toString() ?? "refused"}`));
            } else {
                resolve();
            }
        });
    });
}
