import * as assert from "node:assert/strict";
import { approvalDigest, goalOf, isDigest } from "../../../../provider/lifecycle/approval/approvalDigest";
import {
    approvalPlan,
    identityOf,
    stepsLetThrough,
    withFirst,
} from "../../../../provider/lifecycle/approval/approvalPlan";
import type { ApprovalPlan } from "../../../../provider/lifecycle/approval/planToApprove";
import { approvalItems, describeLetThrough } from "../../../../provider/lifecycle/approval/approvalWords";
import { needsConsent } from "../../../../provider/lifecycle/vocabulary/actions";
import { approveCommand, isCurrentConsent, isCurrentWait } from "../../../../provider/lifecycle/vocabulary/approvals";
import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import type { Observation } from "../../../../provider/lifecycle/vocabulary/observation";
import type { PlanStep } from "../../../../provider/lifecycle/walks/planStep";
import { describePlan, showPlan } from "../../../../provider/lifecycle/walks/describePlan";
import { consentNeeds, untilAsked } from "../../../../provider/lifecycle/walks/planLooks";
import { few, regionOn, zoned } from "../../../support/lifecycle/zones";
import { claimOf, type Deviation, evicting, now, observed } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";
import { plannedRollout, plannedScale, rolloutRunning } from "../../../support/lifecycle/planned";

const subject = {
    mode: "step",
    namespace: "tidb",
    cluster: "basic",
    leaseUid: "lease-1",
    of: "roll out basic-tikv",
} as const;
const deployed = (observation: Observation): Observation => ({ ...observation, pdClusterId: "7" });
const rollout = (row: Deviation, more: Partial<Observation> = {}): ApprovalPlan => {
    const { observation, target } = observed("tikv", row);
    const seen = { ...deployed(observation), ...more };
    return approvalPlan(subject, plannedRollout(seen, target), seen, target);
};
const digest = (row: Deviation) => approvalDigest(rollout(row));
/** A list of the regions of all stores, of which no two in a row share one. */
const listed = {
    regionsOf: { stores: [15, 14, 13, 12, 11, 10], regions: [regionOn(1, 5, 4, 0), regionOn(2, 3, 1, 2)] },
};
const beginEviction = { do: "begin-eviction", storeId: 15, pod: "basic-tikv-5", leaders: 100 } as const;
const unproven = { regions: { isolation: { none: 6000 } } };
const plan: ApprovalPlan = {
    ...subject,
    templateRevision: "new",
    version: "v8.5.3",
    replicas: 3,
    begun: [],
    steps: [
        { kind: "restart", target: "basic-tikv-2", risk: undefined },
        { kind: "restart", target: "basic-tikv-1", risk: undefined },
    ],
};

describe("the digest of a plan whose stores restart side by side", () => {
    it("is another one than that of one by one, asked for or because nothing is proven", () => {
        const [batches, oneByOne] = [digest(zoned()), digest(zoned({ policy: { parallelism: 1 } }))];
        assert.notEqual(batches, oneByOne);
        assert.equal(digest(zoned(unproven)), oneByOne);
        assert.notEqual(digest(few({ policy: { parallelism: 2 }, ...listed })), oneByOne);
    });
    it("is the same in a preview that has listed the regions, and in the run once the list is read", () => {
        const row = few({ policy: { parallelism: 2 } });
        const { observation, target } = observed("tikv", row);
        const begin = { kind: "act", action: beginEviction, step: "leaders-evicted", target: "basic-tikv-5" } as const;
        const needed = { kind: "look", at: { regions: { ofStores: listed.regionsOf.stores } } };
        assert.deepEqual(
            consentNeeds(begin, () => untilAsked(rolloutRunning(observation, target)), observation, target),
            needed,
        );
        const noted = { ...begin, action: { do: "forget-eviction", storeId: 15 } } as const;
        assert.equal(
            consentNeeds(noted, () => untilAsked(rolloutRunning(observation, target)), observation, target),
            noted,
        );
        const read = observed("tikv", { ...row, ...listed });
        assert.equal(
            consentNeeds(
                begin,
                () => untilAsked(rolloutRunning(read.observation, read.target)),
                read.observation,
                read.target,
            ),
            begin,
        );
    });
    it("changes with the margin that the batch leaves", () => {
        const five = { maxReplicas: 5, rules: [], locationLabels: ["zone"], regions: { isolation: { zone: 6000 } } };
        assert.notEqual(digest(zoned({ ...five, stale: [5, 2] })), digest(zoned({ stale: [5, 2] })));
    });
});

describe("the digest of a plan to approve", () => {
    const changes: [string, Partial<ApprovalPlan>][] = [
        ["how much a consent lets through", { mode: "member" }],
        ["the namespace", { namespace: "other" }],
        ["the cluster", { cluster: "other" }],
        ["the Lease: the cluster was deployed anew", { leaseUid: "lease-2" }],
        ["the operation", { of: "roll out basic-pd" }],
        ["the template", { templateRevision: "newer" }],
        ["the version", { version: "v8.5.4" }],
        ["the number of replicas", { replicas: 4 }],
        ["a step less", { steps: plan.steps.slice(1) }],
        ["the order of the steps", { steps: [...plan.steps].reverse() }],
        ["the kind of a step", { steps: [{ ...plan.steps[0], kind: "remove" }, plan.steps[1]] }],
        ["the target of a step", { steps: [{ ...plan.steps[0], target: "basic-tikv-0" }, plan.steps[1]] }],
        ["a risk that appeared", { steps: [{ ...plan.steps[0], risk: "the only TiDB" }, plan.steps[1]] }],
    ];
    for (const [what, change] of changes) {
        it(`changes with ${what}`, () => {
            assert.notEqual(approvalDigest({ ...plan, ...change }), approvalDigest(plan));
        });
    }

    it("has the shape that the command expects", () => {
        assert.ok(isDigest(approvalDigest(plan)));
        for (const wrong of ["", "3f9c2a", "3F9C2A112233", "3f9c2a11223g", "3f9c2a1122334"]) {
            assert.ok(!isDigest(wrong), wrong);
        }
    });

    const same: [string, Deviation][] = [
        ["the leaders and regions of the stores", { stores: { 3: { leaderCount: { reported: 7 }, regionCount: 30 } } }],
        ["how long PD's leader has led", { leadership: { heldFor: 1 } }],
        ["PD's leader", { leader: 1 }],
    ];
    for (const [what, change] of same) {
        it(`does not change with ${what}, which change by themselves`, () => {
            const stale = { stale: [3, 2] };
            assert.equal(rollout(stale).steps.length, 2);
            assert.equal(digest({ ...stale, ...change }), digest(stale));
        });
    }

    it("is the same before the StatefulSet has the new template and afterwards, also if a pod does not run", () => {
        const pods = { 1: { ready: false, container: { known: true, value: { is: "stopped" } } as never } };
        const before = observed("tikv", { replicas: 3, pods });
        const live = before.observation.members.tikv!;
        const withTemplate = (templateRevision: string): Observation => ({
            ...deployed(before.observation),
            members: { tikv: { ...live, statefulSet: { ...live.statefulSet!, templateRevision } } },
        });
        const old = withTemplate("old-template");
        const preview = approvalPlan(subject, plannedRollout(old, before.target), old, before.target);
        const after = observed("tikv", { replicas: 3, stale: [0, 1, 2], pods });
        const seen = deployed(after.observation);
        const run = approvalPlan(subject, plannedRollout(seen, after.target), seen, after.target);
        assert.equal(preview.steps.length, 3);
        assert.equal(preview.steps[0].target, "basic-tikv-1", "the pod that does not run comes first");
        assert.equal(approvalDigest(run), approvalDigest(preview));
    });
});

describe("the plan to approve", () => {
    it("has neither waits nor what cleans up after an earlier run", () => {
        const kinds: PlanStep["kind"][] = [
            "start",
            "wait",
            "take-back",
            "clean-up",
            "restart",
            "remove",
            "empty-volume",
            "suspend",
            "set",
            "recover",
            "give-up",
        ];
        const { observation, target } = observed("tikv", {});
        const steps = kinds.map((kind): PlanStep => ({
            kind,
            component: "tikv",
            target: "basic-tikv-3",
            why: "",
            does: [],
            waitsFor: "",
            estimateSeconds: 1,
        }));
        const { steps: asked } = approvalPlan(subject, steps, deployed(observation), target);
        assert.deepEqual(
            asked.map(({ kind }) => kind),
            ["restart", "remove", "empty-volume", "suspend", "set", "recover", "give-up"],
        );
    });

    it("leaves out the restart that was consented to and begun, if it still leads to the same", () => {
        const goals = { [subject.of]: goalOf(rollout({ stale: [3, 2] })) };
        const row = { stale: [3, 2], evicted: [3], records: evicting(3) };
        const resumed = rollout(row, { approvals: { given: {}, goals } });
        assert.deepEqual(
            [resumed.begun, resumed.steps.map(({ target }) => target)],
            [["basic-tikv-3"], ["basic-tikv-2"]],
        );
        for (const [what, other] of [
            ["nobody consented to it", {}],
            ["the consent was to another template", { [subject.of]: goalOf({ ...plan, templateRevision: "older" }) }],
        ] as const) {
            const asked = rollout(row, { approvals: { given: {}, goals: other } });
            assert.deepEqual([asked.begun, asked.steps.length], [[], 2], what);
        }
    });

    it("leaves out a removal that PD has begun, and not the next one", () => {
        const { observation, target } = observed("tikv", { live: 5, replicas: 3, stores: { 4: { state: "Offline" } } });
        const removals = { 14: { pod: "basic-tikv-4", begunAt: now } };
        const seen = { ...deployed(observation), records: { evictions: {}, removals } };
        const { begun, steps } = approvalPlan(subject, plannedScale(seen, target), seen, target);
        assert.deepEqual([begun, steps.map(({ target: pod }) => pod)], [["basic-tikv-4"], ["basic-tikv-3"]]);
    });

    it("to remove a pod is not that to remove a later pod of its name, which has another store", () => {
        const digest = (uid: string) => {
            const { observation, target } = observed("tikv", { live: 4, replicas: 3 });
            const seen = deployed(observation);
            const pods = seen.members.tikv!.pods.map((pod) => (pod.name === "basic-tikv-3" ? { ...pod, uid } : pod));
            const later = { ...seen, members: { ...seen.members, tikv: { ...seen.members.tikv!, pods } } };
            return approvalDigest(approvalPlan(subject, plannedScale(later, target), later, target));
        };
        assert.equal(digest("first"), digest("first"));
        assert.notEqual(digest("first"), digest("second"));
    });

    it("leaves out volumes that are being deleted with consent", () => {
        const claims = [claimOf("tikv", 3, { released: true, terminating: true })];
        const { observation, target } = observed("tikv", { live: 3, replicas: 4, claims });
        const seen = deployed(observation);
        const planned = (goals: Record<string, string>) => {
            const asked = { ...seen, approvals: { given: {}, goals } };
            return approvalPlan(subject, plannedScale(asked, target), asked, target);
        };
        assert.deepEqual(
            planned({}).steps.map(({ kind }) => kind),
            ["empty-volume"],
        );
        assert.deepEqual(planned({ [subject.of]: goalOf(planned({})) }).steps, []);
    });

    it("names the steps at risk", () => {
        const { observation, target } = observed("tidb", { replicas: 1, stale: [0] });
        const seen = deployed(observation);
        const { steps } = approvalPlan(subject, plannedRollout(seen, target), seen, target);
        assert.deepEqual(
            steps.map(({ risk }) => risk !== undefined),
            [true],
        );
    });

    it("has targets that are others once the pod, or what a new pod would be, is another", () => {
        const { observation } = observed("tikv", {});
        const tikv = observation.members.tikv!;
        const of = (more: object) =>
            identityOf({ ...observation, members: { tikv: { ...tikv, ...more } } }, "tikv", "basic-tikv-1");
        const same = of({});
        assert.notEqual(of({ pods: [] }), same);
        for (const change of [{ uid: "other" }, { updateRevision: "other" }, { templateRevision: "other" }]) {
            assert.notEqual(of({ statefulSet: { ...tikv.statefulSet!, ...change } }), same, JSON.stringify(change));
        }
    });

    it("lets its first step through, or all of them", () => {
        const member = { ...plan, mode: "member" } as const;
        assert.deepEqual([stepsLetThrough(plan).length, stepsLetThrough(member).length], [1, 2]);
        assert.equal(describeLetThrough(plan), "restart basic-tikv-2, the first of 2 steps");
        assert.equal(describeLetThrough(member), "restart basic-tikv-2, restart basic-tikv-1");
    });

    it("begins with the step that the run is about to take, even if the plan has it later or not at all", () => {
        const restart: Action = { do: "delete-pod", pod: "", uid: "1", resourceVersion: "1" };
        const first = (target: string) =>
            withFirst(plan, restart, target).steps.map((step) => `${step.kind} ${step.target}`);
        assert.deepEqual(first("basic-tikv-2"), ["restart basic-tikv-2", "restart basic-tikv-1"]);
        assert.deepEqual(first("basic-tikv-1"), ["restart basic-tikv-1", "restart basic-tikv-2"]);
        assert.deepEqual(first("basic-tikv-9")[0], "delete-pod basic-tikv-9");
    });

    it("is told with the command that consents to it, if it has a step", () => {
        const [item] = approvalItems(plan, { now });
        const id = approvalDigest(plan);
        assert.deepEqual(item, {
            is: "approval",
            digest: id,
            words: `approve: \`npx pulumi-tidb approve basic ${id} --namespace tidb\` lets through: restart basic-tikv-2, the first of 2 steps`,
            given: "",
            others: "",
        });
        assert.deepEqual([approvalItems(undefined, { now }), approvalItems({ ...plan, steps: [] }, { now })], [[], []]);
        assert.equal(approveCommand("default", "basic", id), `npx pulumi-tidb approve basic ${id}`);
    });
});

describe("the preview of a plan to consent to", () => {
    const shown = { ...plan, steps: plan.steps.slice(0, 1) };
    const digest = approvalDigest(shown);
    const lets = "restart basic-tikv-2";
    const time = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
    const endOf = (given: Record<string, { by: string; at: number }>) => {
        const [item] = approvalItems(shown, { now, approvals: { given, goals: {} } });
        assert.deepEqual(describePlan([item]), describePlan(approvalItems(shown, { now })), "the gate's input");
        return showPlan([item])[0].split("lets through: ")[1];
    };
    const ana = (at: number) => ({ by: "ana@laptop", at });
    const tooOld = now - 8 * 86_400_000;

    it("says that somebody has consented to it already, as long as that counts", () => {
        const at = now - 1_000;
        const approved = `${lets}; already approved by ana@laptop at ${time(at)}, not used yet`;
        assert.equal(endOf({ [digest]: ana(at) }), approved);
        assert.equal(endOf({ [digest]: ana(at), "000000000000": ana(at) }), approved);
        assert.equal(
            endOf({ [digest]: ana(tooOld) }),
            `${lets}; the consent to ${digest} by ana@laptop does not count: it was given at ${time(tooOld)}, more than a week ago`,
        );
    });

    it("names the consents that count and are to other plans, if this one has none", () => {
        const words = `${lets}; not approved: consents on record are to other plans: 000000000000 by ana@laptop at ${time(now)}`;
        assert.equal(endOf({ "000000000000": ana(now), "111111111111": ana(tooOld) }), words);
        const many = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, ana(now)]));
        repeats(endOf(many), "a by", "c by ana@laptop", "and 2 more");
        assert.equal(endOf({ "111111111111": ana(tooOld) }), lets);
        assert.equal(endOf({}), lets);
    });

    it("names the consents that cannot be read", () => {
        const givenProblem = "annotation x holds []";
        const told = (given: Record<string, { by: string; at: number }>) =>
            showPlan(approvalItems(shown, { now, approvals: { given, givenProblem, goals: {} } }))[0];
        assert.ok(told({}).endsWith(`${lets}; annotation x holds []`), told({}));
        repeats(told({ [digest]: ana(now) }), "ana@laptop", givenProblem);
    });

    it("says no consent of a plan whose template nobody can tell the first revision of, but why", () => {
        const plan = { ...shown, firstProblem: "annotation x is invalid JSON" };
        const [words] = showPlan(approvalItems(plan, { now, approvals: { given: { [digest]: ana(now) }, goals: {} } }));
        assert.ok(words.endsWith(`${lets}; annotation x is invalid JSON`), words);
    });
});

describe("an action", () => {
    const free: Action[] = [
        { do: "end-eviction", storeId: 1, pod: "" },
        { do: "note-eviction-gone", storeId: 1 },
        { do: "forget-eviction", storeId: 1 },
        { do: "bring-store-back", storeId: 1, pod: "" },
        { do: "forget-removal", of: "1" },
        { do: "note-pd", clusterId: "7" },
        { do: "note-version", version: "v1", claims: [] },
        { do: "forget-shutdown", pod: "", uid: "" },
        { do: "transfer-leader", from: "a", to: "b", unpauses: [1] },
    ];
    for (const action of free) {
        it(`that ends, undoes or records something needs no consent: ${action.do}`, () => {
            assert.ok(!needsConsent(action));
        });
    }
    const asked: Action[] = [
        { do: "transfer-leader", from: "a", to: "b" },
        { do: "begin-eviction", storeId: 1, pod: "", leaders: 1 },
        { do: "delete-pod", pod: "", uid: "", resourceVersion: "" },
        { do: "remove-store", storeId: 1, pod: "", regions: 1 },
        { do: "release-claims", pod: "", claims: [] },
        { do: "begin-shutdown", pod: "", uid: "" },
        { do: "delete-claims", claims: [] },
        { do: "delete-stateful-set", name: "", uid: "" },
    ];
    for (const action of asked) {
        it(`that begins or continues a step needs consent: ${action.do}`, () => {
            assert.ok(needsConsent(action));
        });
    }
});

describe("a consent", () => {
    it("counts for a week, and a run's note that it waits for a minute and a half", () => {
        const day = 86_400_000;
        const consent = { by: "ana", at: now };
        assert.deepEqual(
            [isCurrentConsent(consent, now + 6 * day), isCurrentConsent(consent, now + 7 * day)],
            [true, false],
        );
        const wait = { digest: "", of: "", lets: "", by: "", since: now, at: now };
        assert.deepEqual([isCurrentWait(wait, now + 89_000), isCurrentWait(wait, now + 90_000)], [true, false]);
    });
});
