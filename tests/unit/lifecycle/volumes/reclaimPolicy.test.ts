import * as assert from "node:assert/strict";
import { foresee } from "../../../../provider/lifecycle/vocabulary/actions";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory, rememberAction } from "../../../../provider/lifecycle/vocabulary/memory";
import type { Observation, ObservedClaim } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy, type MemberTarget } from "../../../../provider/lifecycle/vocabulary/target";
import { nextReclaimMove, planReclaim, reclaimWork } from "../../../../provider/lifecycle/volumes/reclaimPolicy";
import { claimOf, inShort, now, observed } from "../../../support/lifecycle/observations";
import { codesOf, repeats } from "../../../support/repeats";

const target: MemberTarget = { component: "tikv", replicas: 3, policy: defaultPolicy, reclaimPolicy: "Retain" };
const volume = (reclaimPolicy: string) =>
    known({ name: `pv-${reclaimPolicy}`, uid: "v", resourceVersion: "1", reclaimPolicy }, "the API server", 0);
const claim = (ordinal: number, more: Partial<ObservedClaim>) => claimOf("tikv", ordinal, more);
const seen = (...claims: ObservedClaim[]) => observed("tikv", { claims }).observation;
const next = (observation: Observation, targets = [target]) => nextReclaimMove(observation, targets, emptyMemory);
const unread = notKnown("403 forbidden");

/** What the volumes are, and the next move. */
const rows: [string, Observation, string][] = [
    ["its volume is not read yet", seen(claim(0, {}), claim(1, { volume: volume("Delete") })), "look volumesOf:[tikv]"],
    [
        "one has another policy",
        seen(claim(0, { volume: volume("Retain") }), claim(1, { volume: volume("Delete") })),
        "set-reclaim-policy Retain tikv-basic-tikv-1",
    ],
    ["all have it", seen(claim(0, { volume: volume("Retain") })), "done"],
    ["it has no volume yet", seen(claim(0, { volume: known(undefined, "the API server", 0) })), "done"],
    ["a scale-in has released it", seen(claim(3, { volume: volume("Delete"), released: true })), "done"],
    ["a scale-in has released it, and it is not read", seen(claim(3, { released: true })), "done"],
    ["its volume goes with it", seen(claim(0, { volume: volume("Delete"), terminating: true })), "done"],
    ["its volume cannot be read", seen(claim(0, { volume: unread })), "done"],
    [
        "one cannot be read, and another one is not right",
        seen(claim(0, { volume: unread }), claim(1, { volume: volume("Delete") })),
        "set-reclaim-policy Retain tikv-basic-tikv-1",
    ],
];

describe("what becomes of volumes once their claims are deleted", () => {
    for (const [what, observation, move] of rows) {
        it(`is ${move} if ${what}`, () => assert.equal(inShort(next(observation)), move));
    }

    it("is left to their class, and no volume is read, where the program says nothing", () => {
        const plain = { ...target, reclaimPolicy: undefined };
        assert.deepEqual(next(seen(claim(0, {})), [plain]), { kind: "done" });
    });

    it("is one line of the plan for each member, with what they have now", () => {
        const claims = [claim(0, { volume: volume("Retain") }), claim(1, { volume: volume("Recycle") })];
        const wanted: MemberTarget = { ...target, reclaimPolicy: "Delete" };
        const work = reclaimWork(seen(...claims), [wanted]);
        assert.deepEqual("due" in work && planReclaim(work.due), [
            "set reclaim policy Delete on 2 volumes of basic-tikv (now Recycle, Retain)",
        ]);
    });

    it("is as wanted after the action, so a second preview is quiet", () => {
        const before = seen(claim(0, { volume: volume("Delete") }), claim(1, { volume: volume("Delete") }));
        const move = next(before);
        assert.ok(move.kind === "act");
        assert.deepEqual(next(foresee(before, move.action)), { kind: "done" });
    });

    it("ends the update with the rule to grant if the API server did not take it, or a volume cannot be read", () => {
        const before = seen(claim(0, { volume: volume("Delete") }), claim(1, { volume: unread }));
        const move = next(before);
        assert.ok(move.kind === "act");
        const after = nextReclaimMove(before, [target], rememberAction(emptyMemory, move, now));
        assert.ok(after.kind === "done");
        assert.deepEqual(codesOf(after.remarks), ["reclaim-policy-stays"]);
        repeats(
            after.remarks,
            "1 volume of basic-tikv",
            "1 of 2 volumes",
            "403 forbidden",
            "ClusterRole",
            "[get, patch]",
        );
    });
});
