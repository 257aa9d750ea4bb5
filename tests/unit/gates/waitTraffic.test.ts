import * as assert from "node:assert/strict";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import { NarrowLooks } from "../../../provider/cluster/narrowLooks";
import { type LeaseReader, observeCluster, type Observers } from "../../../provider/cluster/observeCluster";
import type { ObservedApi } from "../../../provider/cluster/observedApi";
import { ReadyTracker } from "../../../provider/cluster/readyTracker";
import { UnchangedReads } from "../../../provider/cluster/watch/unchangedReads";
import { lookForRollout } from "../../../provider/gates/looks";
import { runOperation } from "../../../provider/gates/loop";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import type { PdStore } from "../../../provider/pd";
import { record } from "../../support/gates/recordedPorts";
import { pdThat } from "../cluster/playedPd";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
/** Less than the time after which the API server is asked again, whatever a watch has heard. */
const minutes = 4;
const waitedFor = 13;

const storeAt = (ordinal: number): PdStore => ({
    id: 10 + ordinal,
    address: `basic-tikv-${ordinal}.basic-tikv-peer.tidb.svc:20160`,
    state: 10 + ordinal === waitedFor ? "Down" : "Up",
    labels: {},
    leaderCount: 500,
    regionCount: 1500,
    pendingPeerCount: 0,
});

/** The looks of a session, at a clock of their own, with a watch that hears of no change, and all that is asked meanwhile. */
function played(stores: number) {
    const ports = record();
    const now = () => ports.time;
    const toApi: string[] = [];
    const listed = Array.from({ length: stores }, (_, ordinal) => storeAt(ordinal));
    const { client, asked } = pdThat({
        leadership: () => ({ leader: "basic-pd-0", term: "7", heldForMilliseconds: 3_600_000 }),
        clusterId: () => "7",
        stores: () => listed,
        store: (one: number) => listed.find((store) => store.id === one),
        tombstoneStores: () => [],
        evictedStores: () => [],
        ownEvictions: () => ({ evictions: [], unreported: [] }),
        schedulers: () => ["balance-leader-scheduler"],
        regionCount: () => 500 * stores,
        health: () => [],
        replication: () => ({ maxReplicas: 3, locationLabels: [], enablePlacementRules: true }),
        placementRules: () => [],
    });
    const pd: Observers["pd"] = { ask: (call) => call(client), forget: () => undefined, canAskMembers: true };
    const none = {} as never;
    const observers: Observers = {
        pd,
        watch: new LeadershipTracker(),
        ready: new ReadyTracker(),
        tikv: {
            keepOnly: () => undefined,
            ownLeaders: () => Promise.resolve({}),
            heartbeats: () => Promise.resolve(known({ region: 60_000, store: 10_000 }, "TiKV", 0)),
        },
        statusPages: { ask: () => Promise.resolve({}) },
        tidbUpgrade: { read: () => Promise.resolve(notKnown("nobody answers")) },
        tidbLabels: { read: () => Promise.resolve(notKnown("nobody answers")) },
        backups: () => Promise.resolve([]),
        ...{ captures: none, rootPassword: none, settings: none },
    };
    const api: ObservedApi = {
        readMembers: (_id, components) => {
            toApi.push(`members ${components.join()}`);
            return Promise.resolve(components.map((component) => ({ component, pods: [], claims: [] }) as never));
        },
        readLease: () => {
            toApi.push("Lease");
            return Promise.resolve(undefined);
        },
    };
    const reads = new UnchangedReads(api, { changes: 0, known: () => ({ lease: undefined }) });
    const narrow = new NarrowLooks(pd, id, now);
    const reader: LeaseReader = { operatedBy: () => undefined, stopRequest: () => undefined };
    ports.look = async (options, lag) => {
        const from = reads.for(options, lag !== undefined);
        return (
            (await narrow.look(options, lag?.endedBy, from, reader)) ??
            narrow.keep(options, from, await observeCluster(options, from, id, observers, reader, now))
        );
    };
    return { ports, toApi, toPd: asked };
}

/** Waits for one of so many stores. @returns what was asked meanwhile, after the wait was confirmed */
async function askedDuringWait(stores: number): Promise<{ toPd: string[]; toApi: string[] }> {
    const { ports, toApi, toPd } = played(stores);
    const began = ports.time;
    const before = { toPd: 0, toApi: 0 };
    let meanwhile: { toPd: string[]; toApi: string[] } | undefined;
    const next = (): Move => {
        if (ports.time === began) {
            [before.toPd, before.toApi] = [toPd.length, toApi.length];
        }
        if (ports.time - began >= minutes * 60_000) {
            meanwhile ??= { toPd: toPd.slice(before.toPd), toApi: toApi.slice(before.toApi) };
            return { kind: "done" };
        }
        const endedBy = { storeIds: [waitedFor] };
        return {
            kind: "wait",
            step: "store-up",
            target: "basic-tikv-3",
            waitingFor: "store 13",
            since: began,
            endedBy,
        };
    };
    await runOperation({ description: "roll out basic-tikv", look: lookForRollout("tikv"), next }, ports);
    assert.ok(meanwhile);
    return meanwhile;
}

describe("the questions of a wait with 1,000 stores while nothing changes", () => {
    let asked: Awaited<ReturnType<typeof askedDuringWait>>;
    before(async () => (asked = await askedDuringWait(1_000)));

    it("are at most one to PD every two seconds", () => {
        assert.ok(
            asked.toPd.length <= 30 * minutes,
            `${asked.toPd.length / minutes} a minute: ${asked.toPd.join(", ")}`,
        );
    });
    it("ask PD for everything once a minute, and for the store that is waited for every six seconds", () => {
        const count = (question: string) => asked.toPd.filter((one) => one === question).length;
        assert.deepEqual([count("stores"), count(`store ${waitedFor}`)], [minutes, 9 * minutes]);
    });
    it("ask the API server nothing", () => {
        assert.deepEqual(asked.toApi, []);
    });
});
