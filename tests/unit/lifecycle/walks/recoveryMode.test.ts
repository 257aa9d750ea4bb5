import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../../provider/lifecycle/members/memberLifecycles";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { Observation, ObservedClaim } from "../../../../provider/lifecycle/vocabulary/observation";
import {
    deployedBeforeRecovery,
    lacksInRecovery,
    refusalInRecovery,
} from "../../../../provider/lifecycle/walks/recoveryMode";
import { nextScaleMove } from "../../../../provider/lifecycle/walks/scale";
import type { MemberTarget } from "../../../../provider/lifecycle/vocabulary/target";
import { claimOf, type Deviation, observed, storeOf } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

/** The StatefulSet of a row: none, one that was deployed in recovery mode, or one that was not. */
interface Row extends Deviation {
    set?: "none" | "recovers" | "usual";
    /** Whether the program has recovery mode on. Default: true. */
    on?: boolean;
    templates?: string[];
}

type Restored = "tikv" | "tiflash";

const bound = { phase: "Bound", hasSource: false };
const claim = (member: Restored, ordinal: number, more: Partial<ObservedClaim> = {}) =>
    claimOf(member, ordinal, { state: bound, ...more });
const both = (member: Restored = "tikv") => [claim(member, 0), claim(member, 1)];
const noStores = { stores: { 0: undefined, 1: undefined, 2: undefined, 3: undefined } };

function seen(member: Restored, { set = "none", on = true, templates = [member], ...row }: Row) {
    const { observation, target } = observed(member, { replicas: 2, ...row });
    const live = observation.members[member]!;
    const statefulSet =
        set === "none"
            ? undefined
            : { ...live.statefulSet!, ...(set === "recovers" ? { recovers: true as const } : {}) };
    const members = { [member]: { ...live, statefulSet, pods: set === "none" ? [] : live.pods } };
    return {
        observation: { ...observation, members } as Observation,
        target: { ...target, replicas: 2, ...(on ? { restoredClaims: templates } : {}) } as MemberTarget,
    };
}

/** What the gate does, in words: what it waits for, what it asks first, or that it is done. */
function does(member: Restored, row: Row): string {
    const { observation, target } = seen(member, row);
    const move = nextScaleMove(observation, target, emptyMemory);
    switch (move.kind) {
        case "wait": {
            const [lacks, ...advice] = move.waitingFor.split("; for spec.recoveryMode, ");
            assert.equal(advice.length, 1, `the wait names the field and what to do: ${move.waitingFor}`);
            return `wait: ${lacks}`;
        }
        case "look":
            return `look: ${JSON.stringify(move.at)}`;
        case "act":
            return `act: ${move.action.do}`;
        case "fail":
            return `fail: ${move.problem.seen}`;
        case "done":
            return move.kind;
    }
}

/** Why a preview refuses the mode; undefined if it does not. */
function refusal(member: Restored, row: Row, isOn: boolean): string | undefined {
    const { observation, target } = seen(member, row);
    const found = lacksInRecovery(observation, target, row.set === "none" ? [0, 1] : []);
    return found && "lacks" in found && found.refuses ? refusalInRecovery(found, isOn).reason : undefined;
}

describe("TiKV of a cluster that is restored from snapshots", () => {
    const rows: [what: string, row: Row, move: string][] = [
        ["starts on claims that are Bound, once PD is marked", { claims: both(), mark: true, ...noStores }, "done"],
        [
            "does not start without a claim: the store would be empty",
            { claims: [claim("tikv", 0)], mark: true, ...noStores },
            "wait: not there yet: claim tikv-basic-tikv-1 (missing)",
        ],
        [
            "does not start without any of them, nor without its second volume",
            { claims: both(), templates: ["tikv", "tikv-raft"], mark: true, ...noStores },
            "wait: not there yet: claims tikv-raft-basic-tikv-0 (missing), tikv-raft-basic-tikv-1 (missing)",
        ],
        [
            "does not start on a claim that is Pending: it may become empty",
            {
                claims: [claim("tikv", 0), claim("tikv", 1, { state: { phase: "Pending", hasSource: false } })],
                mark: true,
            },
            "wait: not there yet: claim tikv-basic-tikv-1 (Pending)",
        ],
        [
            "starts on a claim that waits for its pod and names a snapshot: Kubernetes never makes it empty",
            {
                claims: [claim("tikv", 0), claim("tikv", 1, { state: { phase: "Pending", hasSource: true } })],
                mark: true,
                ...noStores,
            },
            "done",
        ],
        [
            "does not start on a claim that lost its volume, whatever it was made from",
            { claims: [claim("tikv", 0), claim("tikv", 1, { state: { phase: "Lost", hasSource: true } })], mark: true },
            "wait: not there yet: claim tikv-basic-tikv-1 (Lost)",
        ],
        [
            "does not start on a claim whose phase was not read",
            { claims: [claim("tikv", 0), claimOf("tikv", 1)], mark: true },
            "wait: not there yet: claim tikv-basic-tikv-1 (not known)",
        ],
        [
            "does not start on a claim that is being deleted",
            { claims: [claim("tikv", 0), claim("tikv", 1, { terminating: true })], mark: true },
            "wait: not there yet: claim tikv-basic-tikv-1 (being deleted)",
        ],
        [
            "deletes what an earlier scale-in released, and does not count it",
            { claims: [claim("tikv", 0), claim("tikv", 1, { released: true })], mark: true, ...noStores },
            "act: delete-claims",
        ],
        [
            "names every claim with what is wrong with it",
            { claims: [claim("tikv", 0, { state: { phase: "Pending", hasSource: false } })], mark: true },
            "wait: not there yet: claims tikv-basic-tikv-0 (Pending), tikv-basic-tikv-1 (missing)",
        ],
        [
            "does not start with a new PD that is not marked: it would refuse it",
            { claims: both(), mark: false, ...noStores },
            "wait: PD's mark snapshot-recovering is not set, and PD is new: TiKV would not join it",
        ],
        ["needs no mark where PD's volumes were restored too", { claims: both(), mark: false }, "done"],
        [
            "needs the mark where PD has only stores of TiFlash",
            { claims: both(), mark: false, ...noStores, moreStores: [storeOf(5, { engine: "tiflash" })] },
            "wait: PD's mark snapshot-recovering is not set, and PD is new: TiKV would not join it",
        ],
        ["asks for the mark first", { claims: both() }, 'look: {"parts":["snapshot-recovering","stores"]}'],
        [
            "waits where the mark is not known",
            { claims: both(), mark: true, unknown: ["snapshotRecovering"] },
            "wait: PD's mark snapshot-recovering, or its stores, not known: PD did not answer",
        ],
        [
            "waits where PD's stores are not known",
            { claims: both(), mark: true, unknown: ["stores"] },
            "wait: PD's mark snapshot-recovering, or its stores, not known: PD did not answer",
        ],
        [
            "waits where PD does not answer",
            { claims: both(), pdSilent: true },
            "wait: PD's mark snapshot-recovering, or its stores, not known: PD answers 500",
        ],
        [
            "is not scaled out by an empty store",
            { claims: [claim("tikv", 0)], set: "recovers", live: 1, mark: true },
            "wait: not there yet: claim tikv-basic-tikv-1 (missing)",
        ],
        ["that runs waits for nothing", { claims: [], set: "recovers", live: 2 }, "done"],
        ["starts empty where it is not restored", { claims: [], on: false, mark: false }, "done"],
    ];
    for (const [what, row, move] of rows) {
        it(what, () => assert.equal(does("tikv", row), move));
    }

    it("gives up after its time, and says what to do next", () => {
        const { observation, target } = seen("tikv", { claims: [], mark: true, policy: { podReadyTimeoutSeconds: 0 } });
        assert.deepEqual(nextScaleMove(observation, target, emptyMemory), {
            kind: "fail",
            problem: {
                code: "recovery-mode",
                step: "recovery-mode",
                target: "basic-tikv",
                seen: "not there yet: claims tikv-basic-tikv-0 (missing), tikv-basic-tikv-1 (missing), for 0 s",
                next: "make them from the snapshots: a missing one is created empty",
            },
        });
    });

    it("says which command of BR sets the mark", () => {
        const { observation, target } = seen("tikv", { claims: both(), mark: false, ...noStores });
        const lacking = lacksInRecovery(observation, target, [0, 1]);
        assert.ok(lacking && "advice" in lacking);
        repeats(lacking.advice, "br restore full --type=aws-ebs --prepare");
    });
});

describe("TiFlash of a cluster that is restored from snapshots", () => {
    const rows: [what: string, row: Row, move: string][] = [
        ["starts once PD's mark is gone", { claims: both("tiflash"), mark: false }, "done"],
        [
            "does not start while PD is marked: its stores could get ids of TiKV",
            { claims: both("tiflash"), mark: true },
            "wait: PD's mark snapshot-recovering is set",
        ],
        [
            "does not start where the mark is not known, unlike with TiDB Operator",
            { claims: both("tiflash"), mark: false, unknown: ["snapshotRecovering"] },
            "wait: PD's mark snapshot-recovering, or its stores, not known: PD did not answer",
        ],
        [
            "does not start without a claim, whatever the mark is",
            { claims: [claim("tiflash", 1)], mark: false },
            "wait: not there yet: claim tiflash-basic-tiflash-0 (missing)",
        ],
    ];
    for (const [what, row, move] of rows) {
        it(what, () => assert.equal(does("tiflash", row), move));
    }

    it("does not start while TiKV is still in it and PD is marked, although the program says that it is over", () => {
        const begin = (recovers: boolean, row: Row) => {
            const { observation, target } = seen("tiflash", { ...row, on: false });
            const tikv = { ...seen("tikv", { set: recovers ? "recovers" : "usual" }).observation.members.tikv! };
            const members = { ...observation.members, tikv };
            const lacking = lacksInRecovery({ ...observation, members }, target, [0, 1]);
            assert.ok(lacking === undefined || "lacks" in lacking);
            return lacking;
        };
        assert.equal(begin(true, { mark: true })?.refuses, true);
        const unknown = begin(true, { mark: true, unknown: ["snapshotRecovering"] });
        assert.ok(unknown && !unknown.refuses);
        assert.equal(begin(true, { mark: false }), undefined);
        assert.equal(begin(false, { mark: true }), undefined);
    });
});

describe("the end of the recovery mode", () => {
    const ending: Row = { on: false, set: "recovers" };
    for (const [what, row, move] of [
        ["goes on once PD's mark is gone", { ...ending, mark: false }, "done"],
        ["asks for the mark", ending, 'look: {"parts":["snapshot-recovering","stores"]}'],
        [
            "waits while PD is marked: TiKV would recover again, and TiDB would read what is not consistent",
            { ...ending, mark: true },
            "wait: PD's mark snapshot-recovering is set",
        ],
        [
            "waits where the mark is not known",
            { ...ending, mark: false, unknown: ["snapshotRecovering"] },
            "wait: PD's mark snapshot-recovering, or its stores, not known: PD did not answer",
        ],
        ["asks nothing of a cluster that never was in it", { on: false, set: "usual" }, "done"],
    ] as [string, Row, string][]) {
        it(what, () => assert.equal(does("tikv", row), move));
    }

    it("is refused in the preview while PD is marked, and only then", () => {
        const refused = (row: Row) => refusal("tikv", { ...ending, ...row }, false);
        assert.equal(
            refused({ mark: true }),
            "found false, expected true: PD's mark snapshot-recovering is set. Next: let BR finish: br restore full --type=aws-ebs",
        );
        assert.equal(refused({ mark: false }), undefined);
        assert.equal(refused({ mark: false, unknown: ["snapshotRecovering"] }), undefined);
    });
});

describe("recovery mode of a cluster that is deployed already", () => {
    const refused = (member: Restored, row: Row) => refusal(member, { claims: both(member), ...row }, true);
    it("is refused if TiKV has data, and names the way out", () => {
        assert.equal(
            refused("tikv", { set: "usual", mark: true }),
            "found true, expected false: basic-tikv is not in recovery. Next: restore into a cluster of another name",
        );
    });
    it("is accepted where TiKV was deployed with it, or is not there", () => {
        assert.equal(refused("tikv", { set: "recovers", mark: true }), undefined);
        assert.equal(refused("tikv", { set: "none" }), undefined);
    });
    it("is accepted for TiFlash, which has no data of its own", () =>
        assert.equal(refused("tiflash", { set: "usual" }), undefined));

    for (const component of ["tidb", "ticdc"] as const) {
        it(`is refused while ${component} is there, as a StatefulSet or as pods`, () => {
            const { observation } = observed(component, {});
            const member = observation.members[component]!;
            const found = (more: object) =>
                deployedBeforeRecovery(
                    { ...observation, members: { [component]: { ...member, ...more } } },
                    { component },
                );
            assert.deepEqual(refusalInRecovery(found({})!, true), {
                property: "spec.recoveryMode",
                reason: `found true, expected false: basic-${component} is deployed. Next: restore into a cluster of another name, or suspend what is deployed first`,
            });
            assert.ok(found({ pods: [] }));
            assert.ok(found({ statefulSet: undefined }));
            assert.equal(found({ statefulSet: undefined, pods: [] }), undefined);
        });
    }
});

it("TiKV and TiFlash have PD's stores among what their scaling asks for", () => {
    for (const member of ["tikv", "tiflash"] as const) {
        assert.ok(memberLifecycles[member].looks.scale.includes("stores"));
    }
});
