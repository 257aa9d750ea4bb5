import * as assert from "node:assert/strict";
import { type Fact, known, notKnown } from "../../../../../provider/lifecycle/vocabulary/evidence";
import { describeStep, stepItems } from "../../../../../provider/lifecycle/walks/describePlan";
import { summaryOf } from "../../../../../provider/lifecycle/walks/planReport";
import { leftOutRemarks, templateState } from "../../../../../provider/lifecycle/walks/wantedTemplate";
import type {
    ObservedMember,
    ObservedRevisions,
    ObservedStatefulSet,
} from "../../../../../provider/lifecycle/vocabulary/observation";
import { planReady } from "../../../../../provider/lifecycle/walks/ready";
import type { Component } from "../../../../../topology/members";
import { notReady } from "../../../../support/lifecycle/decisionTable";
import { claimOf, type Deviation, evicting, now, observed } from "../../../../support/lifecycle/observations";
import { plannedRollout, plannedScale } from "../../../../support/lifecycle/planned";
import { repeats } from "../../../../support/repeats";

const rollout = (component: Component, row: Deviation) => {
    const { observation, target } = observed(component, row);
    return plannedRollout(observation, target);
};
const scale = (component: Component, row: Deviation) => {
    const { observation, target } = observed(component, row);
    return plannedScale(observation, target);
};
const templates = (byTemplate: Record<string, string>): Fact<ObservedRevisions> =>
    known({ byTemplate, changes: {} }, "the API server", now);
const isFact = <T>(one: object | Fact<T>): one is Fact<T> => "known" in one;
const targets = (steps: { kind: string; target: string }[]) => steps.map((step) => `${step.kind} ${step.target}`);

describe("the state of a template", () => {
    const { observation, target } = observed("tikv", {});
    it("is the wanted one, another one, or unknown", () => {
        assert.equal(templateState(observation, target), "wanted");
        assert.equal(templateState(observation, { ...target, templateRevision: "newer" }), "other");
        assert.equal(templateState(observation, { ...target, templateRevision: undefined }), "unknown");
        assert.equal(templateState({ ...observation, members: {} }, target), "unknown");
    });
});

describe("the plan of a rollout", () => {
    it("is empty if nothing is to be done", () => {
        assert.deepEqual(
            (["pd", "tikv", "tidb"] as const).map((one) => rollout(one, {}).length),
            [0, 0, 0],
        );
    });
    it("has the stale pods, those that do not run first, highest ordinal first", () => {
        const steps = rollout("tikv", { stale: [0, 1, 3], pods: { 1: notReady } });
        assert.deepEqual(targets(steps), ["restart basic-tikv-1", "restart basic-tikv-3", "restart basic-tikv-0"]);
    });
    it("has every pod if the template is going to change", () => {
        const { observation, target } = observed("pd", {});
        const steps = plannedRollout(observation, { ...target, templateRevision: "newer" });
        assert.deepEqual(targets(steps), ["restart basic-pd-2", "restart basic-pd-1", "restart basic-pd-0"]);
        assert.ok(steps.every((step) => step.why === "new template"));
    });
    it("has the reason of each restart, as far as it is known", () => {
        const why = (image: string | undefined, more: object, stale = true) => {
            const { observation, target } = observed("tidb", { live: 1, ...(stale ? { stale: [0] } : {}) });
            observation.members.tidb?.pods.forEach((pod) => (pod.image = image));
            return plannedRollout(observation, { ...target, ...more }).map((step) => step.why);
        };
        const old = "registry:5000/pingcap/tidb:v8.5.3";
        const toNew = { tag: "v8.5.4", hasNewConfig: true };
        const replaced = { templateRevision: "newer" };
        assert.deepEqual(why(old, { ...toNew, ...replaced }), ["v8.5.3 to v8.5.4"]);
        assert.deepEqual(why(old, toNew), ["v8.5.3 to v8.5.4"], "a resumed update has the same reason");
        assert.deepEqual(why(old, { ...toNew, tag: "v8.5.3" }), ["new template and configuration"]);
        assert.deepEqual(why(undefined, { ...toNew, hasNewConfig: false }), ["old revision old"]);
        assert.deepEqual(why(old, { tag: "v8.5.3", ...replaced }), ["new template"]);
        assert.deepEqual(why(old, { tag: undefined, ...replaced }), ["new template"]);
        assert.deepEqual(why(old, toNew, false), [], "a reason alone restarts nothing");
    });
    it("has the risk that a restart starts another image than the program's, which somebody has written into the StatefulSet", () => {
        const risk = (live: string | undefined, more: object = {}) => {
            const { observation, target } = observed("tidb", { live: 1, stale: [0] });
            const { tidb } = observation.members;
            tidb?.pods.forEach((pod) => (pod.image = "pingcap/tidb:v8.5.5"));
            tidb!.statefulSet = { ...tidb!.statefulSet!, image: live };
            return plannedRollout(observation, { ...target, tag: "v8.5.5", ...more }).map((step) => step.risk ?? "");
        };
        const foreign = "StatefulSet basic-tidb";
        repeats(risk("pingcap/tidb:v8.5.4")[0], "v8.5.4", foreign, "v8.5.5");
        for (const [live, more] of [
            ["pingcap/tidb:v8.5.5", {}],
            ["mirror:5000/tidb:v8.5.5@sha256:1", {}],
            ["pingcap/tidb:v8.5.4", { templateRevision: "newer" }],
            ["pingcap/tidb:v8.5.4", { templateRevision: undefined }],
            ["pingcap/tidb:v8.5.4", { tag: undefined }],
            [undefined, {}],
        ] as const) {
            assert.ok(!risk(live, more)[0].includes(foreign), live);
        }
    });
    it("says how many leaders leave, and how long that takes at PD's default rates", () => {
        const [step] = rollout("tikv", {
            stale: [2, 3],
            stores: { 3: { leaderCount: { reported: 2000 }, regionCount: 6000 } },
        });
        assert.ok(step.does.includes("evict 2000 leaders"), step.does.join());
        assert.equal(step.estimateSeconds, Math.ceil(30 + 2000 / 20 + (2000 * 2) / 3 / 12));
    });
    it("says who becomes PD's leader", () => {
        const [step] = rollout("pd", { stale: [2], leader: 2 });
        assert.ok(
            step.does.some((one) => one.includes("basic-pd-0")),
            step.does.join(),
        );
    });
    it("says what a restart puts at risk", () => {
        assert.ok(rollout("tikv", { replicas: 1, stale: [0] })[0].risk);
        assert.ok(rollout("pd", { replicas: 1, stale: [0] })[0].risk);
        assert.ok(rollout("tidb", { replicas: 1, stale: [0] })[0].risk);
        assert.equal(rollout("tikv", { stale: [0] })[0].risk, undefined);
    });
    it("has pods that do not exist, and the reason why one is not Ready", () => {
        const steps = rollout("tidb", { pods: { 0: undefined, 1: { ready: false, trouble: "Unschedulable" } } });
        assert.deepEqual(targets(steps), ["start basic-tidb-1", "start basic-tidb-0"]);
        assert.equal(steps[0].why, "Unschedulable");
    });
    it("says of a pod that no node takes that it may not start, and of one that has a node nothing", () => {
        const riskOf = (more: object) => rollout("tidb", { pods: { 1: { ready: false, ...more } } })[0].risk;
        const trouble = "Unschedulable: 0/5 nodes are available: 5 node(s) were unschedulable.";
        assert.ok(riskOf({ trouble, node: undefined }));
        assert.equal(riskOf({ trouble: "container tidb is in ImagePullBackOff", node: "node-1" }), undefined);
        assert.equal(riskOf({ node: undefined }), undefined);
    });
    it("says of a pod whose node is silent that nothing can start it there, with a time that nobody knows", () => {
        const trouble = "node node-1 is not Ready (NodeStatusUnknown), and may still run what it no longer reports";
        const silent = { ...notKnown(trouble), ranSince: 1 };
        const steps = rollout("tikv", { pods: { 1: { ready: false, node: "node-1", container: silent } } });
        assert.deepEqual(steps.map(describeStep), [
            `start basic-tikv-1 (${trouble}); until Ready, store Up (nobody knows how long); risk: nothing can start it on that node now: unless the node comes back, or another pod takes its place, the update fails after 10 minutes`,
        ]);
        assert.deepEqual(summaryOf(stepItems(steps), false, []), ["1 step: start 1 TiKV", "risk in step 1"]);
        const both = rollout("tikv", { pods: { 1: { ready: false, container: silent }, 0: { ready: false } } });
        assert.equal(summaryOf(stepItems(both), false, [])[0], "2 steps, at least 30 s (rules of thumb): start 2 TiKV");
        const unread = { ...notKnown("node node-1 was not read") };
        const [other] = rollout("tikv", { pods: { 1: { ready: false, node: "node-1", container: unread } } });
        assert.equal(other.why, "not Ready");
    });
    it("leaves out the pods that an update had not reached, if the program takes that update back", () => {
        const { observation, target } = observed("tikv", { stale: [0, 1] });
        const member = observation.members.tikv;
        assert.ok(member?.statefulSet && target.templateRevision !== undefined);
        const revisionOf = (ordinal: number) => member.pods[ordinal].revision ?? assert.fail();
        assert.notEqual(revisionOf(0), revisionOf(3));
        const seen = (of: Record<string, string> | Fact<ObservedRevisions>, more: object = {}) => {
            const revisions = isFact(of) ? of : templates(of);
            const statefulSet = {
                ...member.statefulSet,
                templateRevision: "taken back",
                ...more,
            } as ObservedStatefulSet;
            const tikv: ObservedMember = { ...member, statefulSet, revisions };
            return targets(plannedRollout({ ...observation, members: { tikv } }, target));
        };
        const all = [3, 2, 1, 0].map((ordinal) => `restart basic-tikv-${ordinal}`);
        const wanted = target.templateRevision;
        assert.deepEqual(seen({ [wanted]: revisionOf(0) }), all.slice(0, 2));
        assert.deepEqual(seen({}), all, "none has it");
        assert.deepEqual(seen(notKnown("the API server answered 403")), all, "not known");
        assert.deepEqual(seen({ another: revisionOf(0) }), all);
        const templateWriters = [{ manager: "kubectl-edit" }];
        assert.deepEqual(seen({ [wanted]: revisionOf(0) }, { templateWriters }), all, "what they wrote stays");
    });
    it("says that it leaves out pods, which restart too if something else changes the template", () => {
        const { observation, target } = observed("tikv", { stale: [0, 1] });
        const member = observation.members.tikv;
        assert.ok(member?.statefulSet && target.templateRevision !== undefined);
        const { statefulSet } = member;
        const wanted = target.templateRevision;
        const revision = member.pods[0].revision ?? assert.fail();
        const told = (
            of: Record<string, string> | Fact<ObservedRevisions>,
            templateRevision = "taken back",
            more: object = {},
        ) => {
            const tikv: ObservedMember = {
                ...member,
                statefulSet: { ...statefulSet, templateRevision, ...more },
                revisions: isFact(of) ? of : templates(of),
            };
            return leftOutRemarks({ ...observation, members: { tikv } }, target);
        };
        assert.deepEqual(told({ [wanted]: revision }), [
            "pods of basic-tikv that already run the wanted template are left out; if something else changes the template, they restart too",
        ]);
        assert.deepEqual(told({}), [], "none has it");
        assert.deepEqual(told(notKnown("the API server answered 403")), [], "not known");
        assert.deepEqual(told({ [wanted]: "no pod's" }), []);
        assert.deepEqual(told({ [wanted]: revision }, wanted), [], "nothing is taken back");
        const templateWriters = [{ manager: "kubectl-edit" }];
        assert.deepEqual(told({ [wanted]: revision }, "taken back", { templateWriters }), [
            "pods of basic-tikv that already run the wanted template may restart or not: others than Pulumi own fields of the template, so the plan has a restart of each",
        ]);
        assert.deepEqual(told({}, "taken back", { templateWriters }), [], "none has it");
    });
    it("has the wait for the StatefulSet if no pod was reached: the gate runs, and sees that all run what is wanted", () => {
        const { observation, target } = observed("tikv", { stale: [0, 1, 2, 3] });
        const member = observation.members.tikv;
        assert.ok(member?.statefulSet && target.templateRevision !== undefined);
        const statefulSet: ObservedStatefulSet = { ...member.statefulSet, templateRevision: "taken back" };
        const revisions = templates({ [target.templateRevision]: member.pods[0].revision ?? assert.fail() });
        const tikv: ObservedMember = { ...member, statefulSet, revisions };
        const steps = plannedRollout({ ...observation, members: { tikv } }, target);
        assert.deepEqual(targets(steps), ["wait basic-tikv"]);
    });
    it("has what an earlier run left behind, unless that pod is restarted anyway", () => {
        assert.deepEqual(targets(rollout("tikv", { records: evicting(3) })), ["clean-up basic-tikv-3"]);
        assert.deepEqual(targets(rollout("tikv", { records: evicting(3), stale: [3] })), ["restart basic-tikv-3"]);
        assert.deepEqual(targets(rollout("tikv", { records: evicting(3), replicas: 3 })), ["clean-up basic-tikv"]);
        assert.deepEqual(targets(rollout("tikv", { records: evicting(3), stale: [1] })), [
            ...["clean-up basic-tikv-3", "restart basic-tikv-1"],
        ]);
    });
});

describe("the plan of scaling", () => {
    it("is empty if nothing is to be done, and for a plain scale-out", () => {
        assert.deepEqual([scale("tikv", {}), scale("tikv", { live: 3, replicas: 5 })], [[], []]);
    });
    it("has the leaving stores, highest first, with their region counts", () => {
        const steps = scale("tikv", { live: 5, replicas: 3 });
        assert.deepEqual(targets(steps), ["remove basic-tikv-4", "remove basic-tikv-3"]);
        repeats(steps[0].does, "store 14", "1500 regions");
        assert.equal(steps[0].estimateSeconds, Math.ceil(1500 / 4));
    });
    it("has released volumes that would be used again", () => {
        const claims = [claimOf("tikv", 3, { released: true })];
        assert.deepEqual(targets(scale("tikv", { live: 3, replicas: 4, claims })), ["empty-volume basic-tikv-3"]);
    });
    it("has a reverted scale-in", () => {
        const records = { evictions: {}, removals: { 13: { pod: "basic-tikv-3", begunAt: now } } };
        assert.deepEqual(targets(scale("tikv", { records, stores: { 3: { state: "Offline" } } })), [
            "take-back basic-tikv-3",
        ]);
    });
});

describe("what a cluster lacks", () => {
    const lacksOf = (...seen: Parameters<typeof planReady>) => planReady(...seen).map(({ words }) => words);
    it("has the pods that still run an older template: an update must not end while they do", () => {
        const { observation, target } = observed("tiflash", { stale: [1] });
        assert.deepEqual(lacksOf(observation, [target]), ["wait for basic-tiflash-1 to run the newest template"]);
    });
    it("is nothing if all is healthy, and otherwise names pod and reason", () => {
        const { observation, target } = observed("tikv", {});
        assert.deepEqual(lacksOf(observation, [target]), []);
        const lacking = observed("tikv", {
            stores: { 0: { state: "Down" } },
            records: evicting(2),
            pods: { 1: undefined },
        });
        // The update ends the eviction by itself.
        assert.deepEqual(lacksOf(lacking.observation, [lacking.target]), [
            "wait for the store of basic-tikv-0: it is Down",
            "wait for basic-tikv-1: it does not exist",
        ]);
    });
});
