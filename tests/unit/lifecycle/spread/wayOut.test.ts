import * as assert from "node:assert/strict";
import { chooseSpread, type WantedSpread } from "../../../../provider/lifecycle/spread/chooseSpread";
import type { Room } from "../../../../provider/lifecycle/vocabulary/drain";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedMember, ObservedPod } from "../../../../provider/lifecycle/vocabulary/observation";
import { noSpread, spreadOf } from "../../../../provider/lifecycle/vocabulary/spread";
import { now, observed } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

const limit = (maxSkew: number) =>
    spreadOf([{ maxSkew, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule" }]);
const wants = (most: number, when: WantedSpread["when"] = "with-changes", templateRevision = "new"): WantedSpread => ({
    spread: limit(most),
    templateRevision,
    when,
});
const to = (...nodes: string[]): Room => ({ is: "somewhere", nodes });
const unknown = "403 Forbidden";

/** PD's pods on these nodes, by ordinal, and what is known of other nodes for each; null: not known. */
function pd(nodes: readonly string[], rooms: Readonly<Record<number, Room | null>> = {}): ObservedMember {
    const pods = nodes.map((node, ordinal): [number, Partial<ObservedPod>] => {
        const room = rooms[ordinal];
        const fact = room === null ? notKnown(unknown) : room && known(room, "the API server", now);
        return [ordinal, { node, ...(fact ? { room: fact } : {}) }];
    });
    const member = observed("pd", { replicas: nodes.length, pods: Object.fromEntries(pods) }).observation.members.pd!;
    return { ...member, statefulSet: { ...member.statefulSet!, templateRevision: "old" } };
}

/** Each pod on node a has this room. */
const from = (nodes: string, room: Room | null): ObservedMember => {
    const on = [...nodes];
    return pd(on, Object.fromEntries(on.flatMap((node, ordinal) => (node === "a" ? [[ordinal, room]] : []))));
};
const saidOf = (nodes: string, room: Room | null, most = 2, coming = 0): string => {
    const { spread, refused = "" } = chooseSpread(wants(most, "now"), from(nodes, room), noSpread, true, coming);
    return spread.revision === "" ? refused : "moves";
};

describe("members that crowd on a node, with constraints that come with a roll-out", () => {
    it("are asked about where that decides something, and only then: by `now`, or with a template that changes anyway", () => {
        const crowded = pd(["a", "a", "a", "b", "c"]);
        const pods = ["basic-pd-0", "basic-pd-1", "basic-pd-2"];
        const [constraint] = limit(2).constraints;
        const asks = { rooms: pods, roomsUnder: [{ ...constraint, maxSkew: 5 }] };
        assert.deepEqual(chooseSpread(wants(2), crowded, noSpread, true).asks, asks);
        assert.deepEqual(chooseSpread(wants(2, "now", "old"), crowded, noSpread, true).asks, asks);
        assert.equal(chooseSpread(wants(2, "with-changes", "old"), crowded, noSpread, true).asks, undefined);
        assert.equal(chooseSpread(wants(2), pd(["a", "a", "b", "b", "c"]), noSpread, true).asks, undefined);
        const waiting = { ...crowded, pods: crowded.pods.slice(1) };
        assert.equal(chooseSpread(wants(2), waiting, noSpread, true).asks, undefined, "a pod is missing");
    });

    it("stay if a pod that the update adds may take the place", () => {
        assert.equal(saidOf("aaab", to("b")), "moves");
        assert.notEqual(saidOf("aaab", to("b"), 2, 1), "moves");
        assert.equal(saidOf("aaab", to("b", "c"), 2, 1), "moves");
    });

    it("get nothing and lose nothing until that is answered", () => {
        const { spread, refused } = chooseSpread(wants(2, "now"), pd(["a", "a", "a", "b", "c"]), noSpread, true);
        assert.equal(spread, noSpread);
        repeats(refused, "node a", "basic-pd");
    });

    it("come to 2-2-1 from 3-1-1 and from 3-2 with the third node back, and the preview says so", () => {
        for (const [nodes, room] of [
            ["aaabc", to("b", "c")],
            ["aaabb", to("b", "c")],
        ] as const) {
            const { spread, remarks } = chooseSpread(wants(2), from(nodes, room), noSpread, true);
            assert.deepEqual(spread, limit(2));
            repeats(remarks[0], "node a", "basic-pd");
            assert.equal(remarks.length, 2);
        }
    });

    const rows: [what: string, said: string, stays?: string][] = [
        ["3-1-1", saidOf("aaabc", to("b", "c"))],
        ["2-1-1 of four, of which no node may have two", saidOf("aabc", to("b", "c"), 1), ""],
        ["4-1: the second of the two that must leave finds place too", saidOf("aaaab", to("b", "c"))],
        ["4-1, and only b takes one", saidOf("aaaab", to("b")), ""],
        ["5 on one: each other node is only known to have room for one", saidOf("aaaaa", to("b", "c")), ""],
        ["3-2 on two nodes that may have two each", saidOf("aaabb", to("b")), ""],
        ["3-2, and those of b, where none may follow, could take the only place first", saidOf("aaabb", to("c")), ""],
        ["its volume is there", saidOf("aaabc", { is: "bound", volume: "pd-0" }), "pd-0"],
        ["no node takes it", saidOf("aaabc", { is: "nowhere", why: "2 full" }), "2 full"],
        ["which nodes take it is not known", saidOf("aaabc", null), unknown],
        ["two nodes only, with no more than they may have", saidOf("aabb", to("c")), "all 4 pods"],
    ];
    for (const [what, said, stays] of rows) {
        it(`${what}: ${stays === undefined ? "leave" : "stay"}`, () => {
            assert.equal(said === "moves", stays === undefined, said);
            repeats(said, stays ?? "");
        });
    }

    it("stay if one of them is tied to the node: it could be the one that must leave", () => {
        const free = to("b", "c");
        const member = pd(["a", "a", "a", "b", "c"], { 0: { is: "bound", volume: "pd-0" }, 1: free, 2: free });
        repeats(chooseSpread(wants(2, "now"), member, noSpread, true).refused, "pd-0");
    });

    it("stay if they have no node in common: what one of them may use is no place for the other", () => {
        const member = pd(["a", "a", "a"], { 0: to("b", "c"), 1: to("b"), 2: to("b") });
        assert.ok(chooseSpread(wants(1, "now"), member, noSpread, true).refused);
    });

    it("stay if two nodes are crowded, and the place of one that leaves a node is no place for those of the other", () => {
        const pods = (others: Record<0 | 1 | 2 | 3, Room>) =>
            chooseSpread(wants(1, "now"), pd(["a", "a", "b", "b"], others), noSpread, true).refused ?? "moves";
        const [ofA, ofB] = [to("b", "c", "d"), to("a", "c", "d")];
        assert.equal(pods({ 0: ofA, 1: ofA, 2: ofB, 3: ofB }), "moves");
        const apart = to("c", "d");
        assert.notEqual(pods({ 0: apart, 1: apart, 2: ofB, 3: ofB }), "moves");
    });

    it("stay where pods restart side by side: one of another node could find its place taken", () => {
        const { refused, asks } = chooseSpread(wants(2, "now"), from("aaabc", to("b", "c")), noSpread, false);
        assert.ok(refused);
        assert.equal(asks, undefined);
    });
});
