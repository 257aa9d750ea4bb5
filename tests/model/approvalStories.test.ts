import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../provider/cluster/apiCall";
import { runOperation } from "../../provider/gates/loop";
import { operationApproval } from "../../provider/gates/operationApproval";
import { approvalDigest, goalOf } from "../../provider/lifecycle/approval/approvalDigest";
import { approvalPlan } from "../../provider/lifecycle/approval/approvalPlan";
import { isCurrentConsent } from "../../provider/lifecycle/vocabulary/approvals";
import { notAsked } from "../../provider/lifecycle/vocabulary/evidence";
import type { LookOptions } from "../../provider/lifecycle/vocabulary/look";
import type { Move } from "../../provider/lifecycle/vocabulary/move";
import type { Observation } from "../../provider/lifecycle/vocabulary/observation";
import { nextRolloutMove } from "../../provider/lifecycle/walks/rollout";
import { type Faults, record, type Recorded } from "../support/gates/recordedPorts";
import { type Deviation, evicting, now, observed } from "../support/lifecycle/observations";
import { plannedRollout, plannedSuspension } from "../support/lifecycle/planned";
import { isFailure } from "../support/failsWith";

/** Stories of a run that waits for consent. Each once broke a promise of docs/approval.md. */

const subject = { namespace: "tidb", cluster: "basic", leaseUid: "lease-1", component: "tikv" } as const;
const of = "roll out basic-tikv";
const target = observed("tikv", {}).target;
const rolloutLook: LookOptions = {
    components: ["tikv"],
    pd: ["leadership", "stores", "tombstones", "evicted-stores", "placement", "region-status"],
    status: [],
};

interface Story {
    ports: Recorded;
    /** What the live cluster is like. The story changes it. */
    row: Deviation;
    /** What is different from it. */
    more: (seen: Observation) => Partial<Observation>;
    meanwhile: (pauses: number) => void;
    looksWithoutPause: number;
}

/** A real rollout of TiKV with `step`. A restarted pod comes back on the new revision. */
function story(row: Deviation, faults: Faults = {}): Story {
    const ports = record(faults);
    const one: Story = { ports, row, more: () => ({}), meanwhile: () => undefined, looksWithoutPause: 0 };
    let [pauses, atOnce] = [0, 0];
    ports.sleep = (milliseconds) => {
        atOnce = 0;
        ports.time += milliseconds;
        one.meanwhile((pauses += 1));
        return Promise.resolve();
    };
    const { look, perform } = ports;
    ports.look = async (options, lag) => {
        atOnce += 1;
        one.looksWithoutPause = Math.max(one.looksWithoutPause, atOnce);
        if (atOnce > 200) {
            throw new Error(`the run has looked ${atOnce} times without a pause`);
        }
        const base = await look(options, lag);
        const { observation } = observed("tikv", one.row);
        const hasEvictions = options.pd.includes("evicted-stores");
        const pd = hasEvictions ? observation.pd : { ...observation.pd, evictedStores: notAsked };
        const seen: Observation = {
            ...observation,
            pd,
            pdClusterId: "7",
            now: base.now,
            records: ports.records,
            approvals: base.approvals,
            stopRequest: base.stopRequest,
        };
        return { ...seen, ...one.more(seen) };
    };
    ports.perform = async (action) => {
        await perform(action);
        if (action.do === "delete-pod") {
            const ordinal = Number(action.pod.split("-").at(-1));
            one.row = { ...one.row, stale: (one.row.stale ?? []).filter((other) => other !== ordinal) };
        }
    };
    return one;
}

async function rollOut({ ports }: Story, look = rolloutLook, next?: (seen: Observation) => Move) {
    const operation = {
        description: of,
        look,
        next:
            next ??
            ((seen: Observation, memory: never) => nextRolloutMove(seen, target, memory, "all-well", "with-steps")),
        approval: operationApproval({ ...subject, approval: "step" as const }, of, (seen: Observation) => ({
            steps: plannedRollout(seen, target),
            target: { ...target, templateRevision: seen.members.tikv?.statefulSet?.templateRevision },
        })),
    };
    const error = await runOperation(operation as never, ports).then(
        () => undefined,
        (failure: Error) => failure,
    );
    return { error, done: ports.done };
}

function digestOf(row: Deviation, more: (seen: Observation) => Partial<Observation> = () => ({})): string {
    const { observation } = observed("tikv", row);
    const seen = { ...observation, pdClusterId: "7" };
    const changed = { ...seen, ...more(seen) };
    return approvalDigest(
        approvalPlan({ ...subject, mode: "step", of }, plannedRollout(changed, target), changed, target),
    );
}

function approve({ ports }: Story, digest: string, at = ports.time): void {
    ports.approvals = { ...ports.approvals, given: { ...ports.approvals.given, [digest]: { by: "ana@laptop", at } } };
}

/** What `kubectl set image` does: another revision, and the annotation with our digest of the template stays. */
const edited = (seen: Observation): Partial<Observation> => {
    const tikv = seen.members.tikv!;
    const pods = tikv.pods.map((pod) => (pod.revision === "new" ? { ...pod, revision: "new" } : pod));
    return { members: { tikv: { ...tikv, pods, statefulSet: { ...tikv.statefulSet!, updateRevision: "edited" } } } };
};

/** Without leaders there is nothing to evict, so a step is one action. */
const noLeaders: Deviation["stores"] = Object.fromEntries(
    [0, 1, 2, 3].map((one) => [one, { leaderCount: { reported: one === 0 ? 500 : 0 } }]),
);

describe("a run that waits for consent", () => {
    it("does not look again and again without a pause while it cannot end an eviction", async () => {
        // A killed run left the eviction of store 13, for another template. Another TidbCluster works on the same PD for an hour.
        const one = story(
            { stale: [3, 2], evicted: [13], stores: { 3: { leaderCount: { reported: 0 } } }, ownLeaders: { 3: 0 } },
            { heldBy: { holder: "ben@build", until: now + 3_000_000 }, observe: { records: evicting(3) } },
        );
        const { error, done } = await rollOut(one);
        const warnings = done.filter((line) => line.startsWith("warn leaders may still be evicted")).length;
        assert.ok(one.looksWithoutPause < 20, `${String(error)}; ${warnings} warnings`);
    });

    it("ends an eviction that a killed run left as soon as the store is healthy, in every gate", async () => {
        // A run was killed after it had deleted basic-tikv-3. The next run's gate of another member asks for consent at once.
        const one = story(
            { stale: [2], evicted: [13], pods: { 3: { ready: false } } },
            { observe: { records: evicting(3) } },
        );
        one.meanwhile = () => {
            if (one.ports.time - now > 60_000) {
                one.row = { stale: [2], evicted: [13] };
            }
        };
        const action = { do: "delete-pod", pod: "basic-tikv-2", uid: "uid-2", resourceVersion: "1" } as const;
        const { error, done } = await rollOut(
            one,
            { components: ["tikv"], pd: ["stores", "health"], status: [] },
            () => ({
                kind: "act",
                action,
                step: "pod-restarted",
                target: "basic-tikv-2",
            }),
        );
        isFailure(error, "approval-timed-out");
        const lastNote = done.lastIndexOf(done.filter((line) => line.startsWith("note wait ")).at(-1) ?? "");
        assert.ok(
            done.includes("do end-eviction") && done.indexOf("do end-eviction") < lastNote,
            "leaders were kept away from a healthy store for the whole hour",
        );
    });

    it("does not take a consent to one template for another: somebody edits the StatefulSet while the run waits", async () => {
        const row: Deviation = { stale: [3, 2, 1, 0], stores: noLeaders };
        const one = story(row);
        const shown = digestOf(row);
        let isEdited = false;
        one.more = (seen) => (isEdited ? edited(seen) : {});
        one.meanwhile = (pauses) => {
            if (pauses === 5) {
                isEdited = true;
            } else if (pauses === 40) {
                // Somebody consents to what the preview has shown.
                approve(one, shown);
            }
        };
        const { done } = await rollOut(one);
        assert.ok(!done.includes("take consent"), "the consent was taken for a template that nobody has seen");
    });

    it("does not take it for another in a later run either: somebody edits the StatefulSet between two runs", async () => {
        const row: Deviation = { stale: [3, 2, 1, 0], stores: noLeaders };
        const first = story(row);
        await rollOut(first);
        const { firstRevisions } = first.ports.approvals;
        assert.deepEqual(firstRevisions, { tikv: { template: target.templateRevision, revision: "new" } });
        for (const consentsAt of ["the plan of the first run", "the plan as a preview shows it now"] as const) {
            const later = story(row);
            later.more = edited;
            later.ports.approvals = { ...later.ports.approvals, firstRevisions };
            const { observation } = observed("tikv", row);
            const seen = { ...observation, pdClusterId: "7", ...edited(observation), approvals: later.ports.approvals };
            const now = approvalDigest(
                approvalPlan({ ...subject, mode: "step", of }, plannedRollout(seen, target), seen, target),
            );
            approve(later, consentsAt === "the plan of the first run" ? digestOf(row) : now);
            const { done } = await rollOut(later);
            assert.equal(done.includes("take consent"), consentsAt !== "the plan of the first run", consentsAt);
        }
    });

    it("records the revision before it uses a consent that was given ahead", async () => {
        const row: Deviation = { stale: [3], stores: noLeaders };
        const one = story(row);
        approve(one, digestOf(row));
        const { done } = await rollOut(one);
        const [recorded, taken] = ["note first", "take consent"].map((what) =>
            done.findIndex((line) => line.startsWith(what)),
        );
        assert.ok(recorded >= 0 && recorded < taken, done.join("\n"));
    });

    it("says of a consent that does not count why it does not", async () => {
        const row: Deviation = { stale: [3], stores: noLeaders };
        for (const [at, why] of [
            [now - 8 * 86_400_000, /does not count: it was given at .*, more than a week ago; approve it again/],
            [now + 2 * 86_400_000, /does not count: it was given at .*, later than it is now \(.*\); approve it again/],
        ] as const) {
            const one = story(row);
            one.ports.approvals = { goals: {}, given: { [digestOf(row)]: { by: "ana@laptop", at } } };
            const { done } = await rollOut(one);
            assert.equal(done.filter((line) => line.startsWith("warn ") && why.test(line)).length, 1, done.join("\n"));
            assert.ok(!done.includes("take consent"));
        }
    });

    it("compares a consent with the API server's clock: a wrong clock of its own neither voids nor prolongs it", async () => {
        const row: Deviation = { stale: [3], stores: noLeaders };
        for (const [asOf, isUsed] of [
            [now + 30 * 86_400_000, true],
            [now + 38 * 86_400_000, false],
        ] as const) {
            const one = story(row);
            one.ports.approvals = {
                goals: {},
                given: { [digestOf(row)]: { by: "ana@laptop", at: now + 30 * 86_400_000 } },
                asOf,
            };
            const { done } = await rollOut(one);
            assert.equal(done.includes("take consent"), isUsed);
        }
    });

    it("does not take a begun step for one with consent after the template was edited in place", () => {
        const row: Deviation = { stale: [3, 2, 1, 0], evicted: [13], records: evicting(3) };
        const begunOf = (change: (seen: Observation) => Partial<Observation>) => {
            const { observation } = observed("tikv", row);
            const plan = { ...subject, mode: "step" as const, of };
            const before = { ...observation, pdClusterId: "7" };
            const goal = goalOf(approvalPlan(plan, plannedRollout(before, target), before, target));
            const seen = { ...before, ...change(before), approvals: { given: {}, goals: { [of]: goal } } };
            return approvalPlan(plan, plannedRollout(seen, target), seen, target).begun;
        };
        assert.deepEqual(
            begunOf(() => ({})),
            ["basic-tikv-3"],
        );
        assert.deepEqual(begunOf(edited), [], "the pod would come back on a template that nobody has seen");
    });

    it("still needs consent after the Lease was recreated or has lost its annotations", async () => {
        const one = story({ stale: [3, 2], stores: noLeaders });
        let isLost = false;
        one.more = () => (isLost ? { pdClusterId: undefined, approvals: undefined } : {});
        one.meanwhile = (pauses) => {
            isLost ||= pauses === 5;
        };
        const { done } = await rollOut(one);
        assert.ok(!done.some((line) => /^do (delete-pod|begin-eviction)/.test(line)), "nobody has consented");
    });

    it("waits an hour for the consent to each plan: a plan that changed late has its whole time", async () => {
        const one = story({ stale: [3, 2], stores: noLeaders });
        let changed = Infinity;
        one.meanwhile = () => {
            const waited = one.ports.time - now;
            if (waited > 59 * 60_000 && changed === Infinity) {
                // A node is drained: basic-tikv-3 comes back on the new template by itself.
                one.row = { ...one.row, stale: [2] };
                changed = one.ports.time;
            }
        };
        const { error } = await rollOut(one);
        isFailure(error, "approval-timed-out", { names: "restart basic-tikv-2" });
        const waited = Math.round((one.ports.time - changed) / 60_000);
        assert.ok(waited >= 59, `the run gave up ${waited} min after it had first asked for basic-tikv-2`);
    });

    it("does not lose a consent because the answer to its taking was lost", async () => {
        const one = story({ stale: [3], stores: noLeaders });
        approve(one, digestOf({ stale: [3], stores: noLeaders }));
        const { tryLock } = one.ports;
        let isLost = false;
        one.ports.tryLock = async (...given) => {
            const answer = await tryLock(...given);
            if (!("lock" in answer)) {
                return answer;
            }
            const { lock } = answer;
            const takeConsent: typeof lock.takeConsent = async (...what) => {
                await lock.takeConsent(...what);
                if (!isLost) {
                    isLost = true;
                    throw new KubernetesApiError("the API server did not answer within 8 s", undefined);
                }
            };
            return { lock: { ...lock, takeConsent } };
        };
        const { error, done } = await rollOut(one);
        assert.ok(done.includes("do begin-eviction"), String(error));
    });

    it("does not count a consent for longer than a week because the clock of who gave it is ahead", () => {
        const [day, month] = [86_400_000, 30 * 86_400_000];
        const consent = { by: "ana@laptop", at: now + month };
        assert.equal(isCurrentConsent(consent, now + 20 * day), false);
    });

    it("does not take a consent to a smaller risk for a larger one", () => {
        const [two, one] = [2, 1].map((maxReplicas) => ({ stale: [3], maxReplicas }));
        const risks = [two, one].map((row) => {
            const { observation } = observed("tikv", row);
            return plannedRollout({ ...observation, pdClusterId: "7" }, target)[0].risk;
        });
        assert.ok(risks[0] !== undefined && risks[1] !== undefined && risks[0] !== risks[1], risks.join("; "));
        assert.notEqual(digestOf(one), digestOf(two));
    });

    it("does not use a consent again that two people gave, for a member that was suspended, resumed and is suspended again", () => {
        const suspension = (uid: string) => {
            const seen = observed("tikv", {}).observation;
            const tikv = seen.members.tikv!;
            const members = { tikv: { ...tikv, statefulSet: { ...tikv.statefulSet!, uid } } };
            const observation = { ...seen, pdClusterId: "7", members };
            const suspended = { ...target, templateRevision: undefined, version: undefined, replicas: 0 };
            const plan = { ...subject, mode: "step" as const, of: "suspend basic-tikv" };
            return approvalDigest(approvalPlan(plan, plannedSuspension(observation, target), observation, suspended)!);
        };
        assert.notEqual(suspension("the StatefulSet of Monday"), suspension("the StatefulSet of Thursday"));
    });
});
