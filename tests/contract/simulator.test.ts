import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { createPdClient, type PdTls } from "../../provider/pd";
import {
    defaultTimings,
    type ListenerTls,
    manualClock,
    type PdSimulator,
    startPdSimulator,
} from "../../sandbox/dataPlane";
import { createAuthority, issue } from "../support/certificates/certificates";
import { markAt, newStoreContract, pdContract, pdNotBootstrappedContract, type PdSubject } from "./pd/pdContract";
import { memberNames, serverName } from "./pd/serverNames";

/** One call to a real PD 8.5.4 with three members, led by `pd-2`, and six stores of 1,200 regions, and its answer. */
interface RecordedCall {
    note: string;
    method: string;
    path: string;
    request?: unknown;
    status: number;
    contentType: string | null;
    response: unknown;
}

const recording = path.join(__dirname, "../fixtures/pd-8.5.4.json");
const calls = JSON.parse(fs.readFileSync(recording, "utf8")) as RecordedCall[];

/** What happened to the real PD before a call, by the call's note. */
const happenedBefore: Record<string, (simulator: PdSimulator) => unknown> = {
    "a store that is Tombstone, or on its way": (simulator) =>
        ask(simulator, { method: "DELETE", path: "/pd/api/v1/store/6" }),
    "all stores silent for 25 s: Disconnected": (simulator) => stopAllStores(simulator),
    "a follower is dead": (simulator) => simulator.stopPod("basic-pd-1"),
    "quorum just lost": (simulator) => simulator.stopPod("basic-pd-2"),
};

/** Time that passes before a call: what was asked for a moment ago has happened. */
const milliseconds: Record<string, number> = {
    "all stores silent for 25 s: Disconnected": 25_000,
    "silent beyond max-store-down-time: Down": 30_000,
};

describe("the PD simulator, compared with the recorded PD 8.5.4", () => {
    const clock = manualClock();
    let simulator: PdSimulator;
    before(async () => {
        simulator = await startPdSimulator({
            clock,
            members: 3,
            stores: 6,
            regions: 1200,
            timings: {
                drainRegionsPerSecond: 1.3,
                storeDisconnectedAfterMilliseconds: 20_000,
                storeDownAfterMilliseconds: 40_000,
            },
        });
        await ask(simulator, {
            method: "POST",
            path: "/pd/api/v1/config",
            request: { "location-labels": "zone" },
        });
        await ask(simulator, { method: "POST", path: "/pd/api/v1/leader/transfer/pd-2" });
    });
    after(() => simulator.stop());

    for (const [index, call] of calls.entries()) {
        it(`${index + 1}. ${call.method} ${call.path}${call.note === "" ? "" : `: ${call.note}`}`, async () => {
            await happenedBefore[call.note]?.(simulator);
            clock.advance(milliseconds[call.note] ?? 1000);
            const answer = await ask(simulator, call);
            assert.equal(answer.status, call.status);
            assert.equal(answer.contentType, call.contentType);
            const { recorded, simulated } = alike(call, withoutStarts(call.path, answer.response));
            assert.deepEqual(shape(simulated), shape(recorded));
        });
    }

    it("writes 64-bit ids as numbers, without loss", async () => {
        await using other = await startPdSimulator();
        const body = await (await fetch(`${other.urls[0]}/pd/api/v1/health`)).text();
        const ids = [...body.matchAll(/"member_id":(\d+),/g)].map(([, id]) => id);
        assert.deepEqual(
            ids,
            other.members().map((member) => member.id),
        );
        assert.ok(ids.every((id) => BigInt(id) > Number.MAX_SAFE_INTEGER));
    });
});

pdNotBootstrappedContract("the simulator, one member", async () => {
    const simulator = await startPdSimulator({ members: 1, stores: 0 });
    const client = createPdClient({ endpoints: simulator.endpoints });
    return { client, mark: markAt(simulator.urls[0]), close: () => simulator.stop() };
});

newStoreContract("the simulator", async () => {
    const clock = manualClock();
    const simulator = await startPdSimulator({ clock, members: 1 });
    const { storeUpAfterReadyMilliseconds, storeHeartbeatMilliseconds } = defaultTimings;
    return {
        client: createPdClient({ endpoints: simulator.endpoints }),
        url: simulator.urls[0],
        register: async () => {
            await simulator.startPod("basic-tikv-3");
            clock.advance(storeUpAfterReadyMilliseconds);
            return simulator.storeOfPod("basic-tikv-3")?.id ?? 0;
        },
        report: () => Promise.resolve(clock.advance(storeHeartbeatMilliseconds)),
        close: () => simulator.stop(),
    };
});

pdContract("the simulator, three members", () => connect());

pdContract("the simulator, three members, over mutual TLS", async () => {
    const authority = await createAuthority("tidb");
    return connect({
        listener: { ...(await issue(authority, memberNames)), ca: authority.cert },
        client: { ...(await issue(authority, ["client"], { usages: ["client auth"] })), ca: authority.cert },
    });
});

async function connect(tls?: { listener: ListenerTls; client: PdTls }): Promise<PdSubject> {
    const simulator = await startPdSimulator({ members: 3, stores: 5, tls: tls?.listener });
    const endpoints = simulator.endpoints.map(({ name, url }) => ({ name, url, servername: serverName(name) }));
    return {
        client: createPdClient({ endpoints: tls ? endpoints : simulator.endpoints, tls: tls?.client }),
        members: simulator.endpoints.map(({ name }) => name),
        stores: { evict: [1, 2], remove: 3, drain: 4 },
        unknownStore: 999,
        live: true,
        mark: tls ? undefined : markAt(simulator.urls[0]),
        makeSlow: (storeId, isSlow) => {
            const pod = simulator.stores().find(({ id }) => id === storeId)?.pod ?? "";
            simulator.faults.stores[pod] = isSlow ? { evictedByPd: "evict-slow-store-scheduler" } : {};
        },
        loseStores: () => Promise.resolve(["basic-tikv-0", "basic-tikv-1"].forEach((pod) => simulator.stopPod(pod))),
        stopMember: (name) => Promise.resolve(simulator.stopPod(name)),
        close: () => simulator.stop(),
    };
}

function stopAllStores(simulator: PdSimulator): void {
    simulator.stores().forEach((store) => simulator.stopPod(store.pod));
}

async function ask(
    simulator: PdSimulator,
    call: Pick<RecordedCall, "method" | "path" | "request">,
): Promise<{ status: number; contentType: string | null; response: unknown }> {
    const url = simulator.urls[0] + simulatedNames(call.path);
    const body = call.request === undefined ? undefined : JSON.stringify(call.request);
    const answer = await fetch(url, { method: call.method, body });
    const text = await answer.text();
    return { status: answer.status, contentType: answer.headers.get("content-type"), response: parse(text) };
}

/** Members of the recording are `pd-0` and so on, those of the simulator are named after their pods. */
function simulatedNames(text: string): string {
    return text.replace(/(?<!basic-)\bpd-(\d)\b/g, "basic-pd-$1");
}

function parse(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
}

/** The two answers without what may differ: elements that the recording leaves out ("..."), operators of an idle PD. */
function alike(call: RecordedCall, response: unknown): { recorded: unknown; simulated: unknown } {
    if (call.path === "/pd/api/v1/operators") {
        return { recorded: [], simulated: response };
    }
    const listed = (call.response as { stores?: ({ store: { id: number } } | string)[] } | null)?.stores;
    if (!listed?.includes("...")) {
        return { recorded: call.response, simulated: response };
    }
    const stores = listed.filter((store) => typeof store !== "string");
    const ids = stores.map((one) => one.store.id);
    const answered = response as { stores: { store: { id: number } }[] };
    return {
        recorded: { ...(call.response as object), stores },
        simulated: { ...answered, stores: answered.stores.filter((one) => ids.includes(one.store.id)) },
    };
}

/** The stores of the recording, which were played, did not tell PD when they started; real ones do. */
function withoutStarts(asked: string, response: unknown): unknown {
    if (!asked.startsWith("/pd/api/v1/store")) {
        return response;
    }
    const json = JSON.stringify(response ?? null, (key, value: unknown) =>
        key === "start_timestamp" ? undefined : value,
    );
    return JSON.parse(json) as unknown;
}

/** Texts word by word where they are the whole answer, counts of elements, fields and their types elsewhere. */
function shape(value: unknown, whole = true): unknown {
    if (Array.isArray(value)) {
        return [...value].sort(byName).map((element) => shape(element, false));
    }
    if (value !== null && typeof value === "object") {
        const fields = Object.entries(value).sort(([left], [right]) => left.localeCompare(right));
        return Object.fromEntries(fields.map(([key, field]) => [key, literal(key, field) ?? shape(field, false)]));
    }
    return whole && typeof value === "string" ? simulatedNames(value) : value === null ? null : typeof value;
}

/** PD lists members by their ids, which are random. */
function byName(left: { name?: string } | null, right: { name?: string } | null): number {
    return (left?.name ?? "").localeCompare(right?.name ?? "");
}

/** Fields whose values are words of PD's own, or counts that the recording's set-up determines. */
function literal(key: string, value: unknown): unknown {
    const exact = ["state_name", "node_state", "state", "health", "count", "name", "max-replicas", "location-labels"];
    if (!exact.includes(key) || typeof value === "object") {
        return undefined;
    }
    return typeof value === "string" ? simulatedNames(value) : value;
}
