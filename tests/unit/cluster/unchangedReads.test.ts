import * as assert from "node:assert/strict";
import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { ObservedApi } from "../../../provider/cluster/observedApi";
import { UnchangedReads } from "../../../provider/cluster/watch/unchangedReads";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import type { ObservedClaim, ObservedMember, ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { claimOf } from "../../support/lifecycle/observations";
import { observedPod } from "./observedPod";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const tikv: LookOptions = { components: ["tikv"], pd: [], status: [] };

describe("what the API server said last", () => {
    let answers: number;
    let pods: ObservedPod[];
    let claims: ObservedClaim[];
    let whileAsked: () => void;
    let watch: { changes: number; lease: V1Lease | undefined; isKnown: boolean };
    let reads: UnchangedReads;

    beforeEach(() => {
        [answers, whileAsked, pods, claims] = [0, () => undefined, [], []];
        watch = { changes: 4, lease: { metadata: { uid: "from the watch" } }, isKnown: true };
        const api: ObservedApi = {
            readMembers: () => {
                answers += 1;
                whileAsked();
                return Promise.resolve([{ component: "tikv", pods, claims, answer: answers } as ObservedMember]);
            },
            readLease: () => Promise.resolve({ metadata: { uid: "from the server" } }),
        };
        reads = new UnchangedReads(api, {
            get changes() {
                return watch.changes;
            },
            known: () => (watch.isKnown ? { lease: watch.lease } : undefined),
        });
    });

    /** Asks as a look does. Says whether the answer may lag, which one it is, and where the Lease is from. */
    async function ask(mayLag: boolean, options = tikv): Promise<[lags: boolean, answer: number, lease?: string]> {
        const api = reads.for(options, mayLag);
        const [member] = await api.readMembers(id, options.components, {}, () => 0);
        const lease = await api.readLease("tidb", "basic-pulumi-tidb");
        return [api.mayLag ?? false, (member as ObservedMember & { answer: number }).answer, lease?.metadata?.uid];
    }

    it("holds while the watch hears of no change, with the Lease as the watch knows it", async () => {
        assert.deepEqual(await ask(false), [false, 1, "from the server"]);
        assert.deepEqual(await ask(true), [true, 1, "from the watch"]);
        watch.changes += 1;
        assert.deepEqual(await ask(true), [false, 2, "from the server"]);
        assert.deepEqual(await ask(true), [true, 2, "from the watch"]);
    });

    it("is not taken for an answer by those who want to know", async () => {
        await ask(false);
        assert.deepEqual(await ask(false), [false, 2, "from the server"]);
    });

    it("does not hold if nothing was asked yet, or the watch may miss changes", async () => {
        assert.deepEqual(await ask(true), [false, 1, "from the server"]);
        watch.isKnown = false;
        assert.deepEqual(await ask(true), [false, 2, "from the server"]);
    });

    it("does not hold if something changed while the API server was asked: the answer may be older or newer", async () => {
        whileAsked = () => (watch.changes += 1);
        await ask(false);
        whileAsked = () => undefined;
        assert.deepEqual(await ask(true), [false, 2, "from the server"]);
    });

    it("does not hold while it is asked where volumes are: neither they nor their nodes are watched", async () => {
        claims = [claimOf("tikv", 0, { place: known({ is: "unbound" }, "the API server", 0) })];
        const placed = { ...tikv, volumePlaces: true };
        await ask(false, placed);
        assert.deepEqual(await ask(true, placed), [false, 2, "from the server"]);
        claims = [];
        assert.deepEqual(await ask(true), [false, 3, "from the server"], "another question");
    });

    it("does not hold while it is asked for the volumes: they are not watched", async () => {
        claims = [claimOf("tikv", 0, { volume: known(undefined, "the API server", 0) })];
        const asked: LookOptions = { ...tikv, volumesOf: ["tikv"] };
        await ask(false, asked);
        assert.deepEqual(await ask(true, asked), [false, 2, "from the server"]);
        claims = [];
        assert.deepEqual(await ask(true), [false, 3, "from the server"], "another question");
    });

    it("does not hold while a node keeps a container's state from being known: nodes are not watched", async () => {
        pods = [observedPod("tikv", 0, { container: notKnown("node n1 is not Ready (NodeStatusUnknown)") })];
        await ask(false);
        assert.deepEqual(await ask(true), [false, 2, "from the server"]);
        pods = [observedPod("tikv", 0, { container: known({ is: "stopped" }, "node n1", 0) })];
        assert.deepEqual(await ask(true), [false, 3, "from the server"]);
        assert.deepEqual(await ask(true), [true, 3, "from the watch"]);
    });

    it("does not hold while labels of nodes decide: a label that was changed since would be missed", async () => {
        const zoned = { ...tikv, zones: true };
        pods = [observedPod("tikv", 0, { nodeLabels: known({ zone: "a" }, "node n1", 0) })];
        await ask(false, zoned);
        assert.deepEqual(await ask(true, zoned), [false, 2, "from the server"]);
    });

    it("says how many changes the watch had heard of", async () => {
        assert.equal(reads.for(tikv, false).changes, 4);
        await ask(false);
        assert.deepEqual([reads.for(tikv, true).changes, reads.for(tikv, true).mayLag], [4, true]);
        watch.changes += 1;
        assert.equal(reads.for(tikv, true).changes, 5);
    });

    it("answers only the same question: the same members, claims and zones", async () => {
        for (const other of [
            { ...tikv, components: ["tikv", "pd"] as const },
            { ...tikv, claimTemplates: { tikv: ["raft"] } },
            { ...tikv, zones: true },
            { ...tikv, claimStates: true },
        ]) {
            await ask(false);
            assert.equal((await ask(true))[0], true);
            assert.equal((await ask(true, other))[0], false, JSON.stringify(other));
        }
    });

    it("is another question if TiKV is read too, because PD's leadership counts", async () => {
        const pd = { ...tikv, components: ["pd"] as const };
        await ask(false, pd);
        assert.equal((await ask(true, { ...pd, pd: ["leadership"] }))[0], false);
    });
});
