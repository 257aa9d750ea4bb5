import * as assert from "node:assert/strict";
import { type PlanItem, stepItems, undecidedItems } from "../../../../provider/lifecycle/walks/describePlan";
import type { PlanStep } from "../../../../provider/lifecycle/walks/planStep";
import { countSteps, type GatePlan, reportPlan, summarizePlans } from "../../../../provider/lifecycle/walks/planReport";
import type { Component } from "../../../../topology/members";

const stepOf = (kind: PlanStep["kind"], component: Component, ordinal: number, more: Partial<PlanStep> = {}) => ({
    ...{ kind, component, target: `basic-${component}-${ordinal}`, why: "new template", does: ["delete pod"] },
    ...{ waitsFor: "Ready", estimateSeconds: 60, ...more },
});
const restarts = (component: Component, ...ordinals: number[]) =>
    ordinals.map((ordinal) => stepOf("restart", component, ordinal));
const wait = stepOf("wait", "tikv", 0, { target: "basic-tikv", does: [], waitsFor: "trust", estimateSeconds: 70 });
const alone = stepOf("restart", "tikv", 0, { risk: "the only store" });
const note = {
    is: "note",
    code: "config-change",
    words: "config of tikv: a: takes effect at the restart, if the server has such a setting",
    isWarning: false,
} as const;
const owner: PlanItem = { is: "task", words: "record dev as the owner of the cluster" };
const lacking: PlanItem = { is: "missing", words: "wait for basic-pd-0 to be Ready" };
const reading: PlanItem = { is: "reading", words: "read the number of replicas once the API server answers" };
const silent = "deferred: PD answers 500";
const planOf = (component: Component, plan: readonly PlanItem[], deferred = ""): GatePlan => ({
    ...{ of: `basic-${component}`, plan, deferred },
});
const restart = (target: string) => `restart ${target} (new template): delete pod; until Ready (~60 s)`;

const goesBack = "risk: see the warning: TiDB does not support going back";

describe("the report of a gate's plan", () => {
    for (const [name, plan, before, report] of [
        ["nothing where nothing is to be done", planOf("tikv", []), 0, undefined],
        [
            "nothing of a plan that is deferred whole: the cluster's summary has the reason once",
            planOf("tikv", [], silent),
            0,
            undefined,
        ],
        [
            "the number of its steps, their time and their risk, and each step with its number in the cluster's plan",
            planOf("tikv", stepItems([wait, ...restarts("tikv", 1, 0)])),
            3,
            [
                "basic-tikv: 3 steps, about 3 min (rules of thumb); no risk found",
                "  4. wait basic-tikv (new template); until trust (~70 s)",
                `  5. ${restart("basic-tikv-1")}`,
                `  6. ${restart("basic-tikv-0")}`,
            ],
        ],
        [
            "no reason why there are only rules of thumb: the cluster's summary has it once",
            { ...planOf("tikv", stepItems([wait])), estimate: { known: false, why: "no journal" } },
            3,
            [
                "basic-tikv: 1 step, about 70 s (rules of thumb); no risk found",
                "  4. wait basic-tikv (new template); until trust (~70 s)",
            ],
        ],
        [
            "what is read first, which is no step",
            planOf("tikv", [reading], silent),
            3,
            [`basic-tikv: ${silent}`, `  - ${reading.words}`],
        ],
        [
            "which step has a risk",
            planOf("tikv", stepItems([wait, alone])),
            3,
            [
                "basic-tikv: 2 steps, about 2 min (rules of thumb); risk in step 5",
                "  4. wait basic-tikv (new template); until trust (~70 s)",
                `  5. ${restart("basic-tikv-0")}; risk: the only store`,
            ],
        ],
        [
            "a note without a number, before the steps",
            planOf("tikv", [note, ...stepItems(restarts("tikv", 0))]),
            0,
            [
                "basic-tikv: 1 step, about 60 s (rules of thumb); no risk found",
                `  - ${note.words}`,
                `  1. ${restart("basic-tikv-0")}`,
            ],
        ],
        ["a note alone", planOf("tikv", [note]), 0, ["basic-tikv: no step", `  - ${note.words}`]],
        [
            "no time and no lack of risk for what PD must decide first",
            planOf("tikv", undecidedItems(restarts("tikv", 1, 0)), silent),
            0,
            [
                `basic-tikv: 2 steps, once PD answers; risk not known yet; ${silent}`,
                "  1. restart basic-tikv-1 (new template): once PD answers",
                "  2. restart basic-tikv-0 (new template): once PD answers",
            ],
        ],
        [
            "the least time and the known risk where PD must decide the rest",
            planOf("tikv", [...stepItems([alone]), ...undecidedItems(restarts("tikv", 1))], silent),
            0,
            [
                `basic-tikv: 2 steps, at least 60 s (rules of thumb), 1 of them once PD answers; risk in step 1, otherwise not known yet; ${silent}`,
                `  1. ${restart("basic-tikv-0")}; risk: the only store`,
                "  2. restart basic-tikv-1 (new template): once PD answers",
            ],
        ],
        ["work without a time or a risk", planOf("pd", [owner]), 0, ["basic-pd: 1 step", `  1. ${owner.words}`]],
        [
            "what the update waits for, which is no step",
            planOf("pd", [lacking]),
            7,
            ["basic-pd: the update waits for 1 condition", `  - ${lacking.words}`],
        ],
    ] as const) {
        it(`is ${name}`, () => {
            assert.equal(reportPlan(plan, before, []), report?.join("\n"));
        });
    }

    for (const [name, plan, report] of [
        [
            "instead of no risk",
            planOf("tikv", stepItems(restarts("tikv", 0))),
            `1 step, about 60 s (rules of thumb); ${goesBack}`,
        ],
        [
            "beside a step at risk",
            planOf("tikv", stepItems([alone])),
            `1 step, about 60 s (rules of thumb); risk in step 1; ${goesBack}`,
        ],
        [
            "even if there is no exact plan",
            planOf("tikv", undecidedItems([alone])),
            `1 step, once PD answers; ${goesBack}, otherwise not known yet`,
        ],
    ] as const) {
        it(`names what a warning puts at risk, ${name}`, () => {
            const words = reportPlan(plan, 0, ["TiDB does not support going back"]);
            assert.equal(words?.split("\n")[0], `basic-tikv: ${report}`);
        });
    }

    it("counts what a note and a condition do not count in", () => {
        assert.equal(countSteps([note, lacking, owner, ...stepItems([wait]), ...undecidedItems([alone])]), 3);
    });
});

describe("the summary of a cluster's plans", () => {
    const upgrade = [
        planOf("pd", stepItems(restarts("pd", 2, 1, 0))),
        planOf("tikv", stepItems([wait, ...restarts("tikv", 2, 1, 0)])),
        planOf("tidb", stepItems(restarts("tidb", 1, 0))),
    ];
    it("has the backup before an upgrade in its time, or says that it has no estimate, which is no time of 0", () => {
        const backup = (estimate: GatePlan["estimate"]): GatePlan => ({
            ...{ of: "basic", deferred: "", plan: [{ is: "task", words: "run Job b" }], estimate },
        });
        const timed: GatePlan = {
            ...planOf("tikv", stepItems([stepOf("restart", "tikv", 0, { expectedSeconds: 90 })])),
            estimate: { known: true, seconds: 90, operations: [] },
        };
        const rest = "restart 1 TiKV; run Job b; no risk found";
        const unknown = backup({ known: false, why: "no Job shows it", work: "the backup" });
        assert.equal(
            summarizePlans("basic", [unknown, timed]),
            `basic: 2 steps, about 90 s, and the backup, which has no estimate: ${rest}`,
        );
        assert.equal(reportPlan(unknown, 0, []), "basic: 1 step\n  1. run Job b");
        const known = backup({ known: true, seconds: 30, operations: [] });
        assert.equal(summarizePlans("basic", [known, timed]), `basic: 2 steps, about 2 min: ${rest}`);
        assert.equal(reportPlan(known, 0, []), "basic: 1 step, about 30 s\n  1. run Job b");
    });
    it("has the sum of the times that its steps show, also where only one of them is in a record", () => {
        const why = "the journal does not show a restart";
        const waited: GatePlan = {
            ...planOf("pd", stepItems([stepOf("wait", "pd", 0, { estimateSeconds: 70, expectedSeconds: 3 })])),
            estimate: { known: true, seconds: 3, operations: [] },
        };
        const restarted: GatePlan = {
            ...planOf("tikv", stepItems(restarts("tikv", 1, 0))),
            estimate: { known: false, why },
        };
        const rest = "wait for PD; restart 2 TiKV; no risk found";
        assert.equal(
            summarizePlans("basic", [waited, restarted]),
            `basic: 3 steps, about 2 min (rules of thumb for basic-tikv: ${why}): ${rest}`,
        );
        const set = planOf("tikv", stepItems([stepOf("set", "tikv", 0)]));
        assert.match(
            summarizePlans("basic", [set, waited]) ?? "",
            /\(rules of thumb for the settings of basic-tikv: the journal .* how long such steps take\): /,
        );
        const undecided = planOf("tidb", undecidedItems(restarts("tidb", 0)), silent);
        assert.match(
            summarizePlans("basic", [waited, undecided]) ?? "",
            /^basic: 2 steps, at least 3 s, 1 of them once PD answers: /,
        );
    });
    it("names one or two tasks by their first words, and counts more: their gates have all", () => {
        const words = "take over the replicas of basic-tikv: 5 set by pulumi-tidb for a replacement";
        const long: PlanItem = { is: "task", words };
        const begun = "take over the replicas of basic-tikv";
        const third: PlanItem = { is: "task", words: "set a password" };
        const short: PlanItem = { is: "task", words: "run Job b" };
        const of = (...plan: PlanItem[]) => summarizePlans("basic", [planOf("pd", plan)]);
        assert.equal(of(short), "basic: 1 step: run Job b");
        assert.equal(of(long), `basic: 1 step: ${begun}`);
        assert.equal(of(short, long), `basic: 2 steps: run Job b; ${begun}`);
        assert.equal(of(short, owner, third), "basic: 3 steps: 3 tasks");
        assert.equal(of({ is: "task", words: "x".repeat(70) }), `basic: 1 step: ${"x".repeat(60)}…`);
        assert.equal(
            of(long, ...stepItems(restarts("pd", 0))),
            `basic: 2 steps, about 60 s (rules of thumb): restart 1 PD; ${begun}; no risk found`,
        );
    });
    for (const [name, gates, line] of [
        ["nothing where nothing is to be done: an `up` without a change stays quiet", [planOf("pd", [])], undefined],
        ["nothing for a note alone", [planOf("pd", [note])], undefined],
        [
            "nothing for a paused cluster, which warns of what is withheld",
            [planOf("pd", [], "paused: spec.paused")],
            undefined,
        ],
        [
            "the steps by kind and member, the whole time, and that there is no risk",
            upgrade,
            "basic: 9 steps, about 9 min (rules of thumb): restart 3 PD, 3 TiKV and 2 TiDB; wait for TiKV; no risk found",
        ],
        [
            "what a warning puts at risk, once, and not that there is no risk",
            [
                { ...planOf("pd", []), risks: ["TiDB does not support going back"] },
                { ...upgrade[0], risks: ["TiDB does not support going back"] },
            ],
            `basic: 3 steps, about 3 min (rules of thumb): restart 3 PD; ${goesBack}`,
        ],
        [
            "each kind of step",
            [
                planOf("tikv", stepItems([stepOf("remove", "tikv", 3), stepOf("take-back", "tikv", 2)])),
                planOf("tikv", stepItems([stepOf("empty-volume", "tikv", 4), stepOf("start", "tikv", 4)])),
                planOf("tikv", stepItems([stepOf("wait", "tikv", 0), stepOf("clean-up", "tikv", 1)])),
                planOf("tidb", stepItems([stepOf("suspend", "tidb", 0)])),
            ],
            "basic: 7 steps, about 7 min (rules of thumb): remove 1 TiKV; take back the removal of 1 TiKV; empty the volumes of 1 TiKV; start 1 TiKV; wait for TiKV; clean up what an earlier run left behind in 1 TiKV; suspend TiDB; no risk found",
        ],
        [
            "a pod once where an earlier run left several things behind in it",
            [planOf("tikv", stepItems([stepOf("clean-up", "tikv", 2), stepOf("clean-up", "tikv", 2)]))],
            "basic: 2 steps, about 2 min (rules of thumb): clean up what an earlier run left behind in 1 TiKV; no risk found",
        ],
        [
            "the steps at risk, by their numbers in the cluster's plan",
            [planOf("pd", [owner, ...stepItems(restarts("pd", 0))]), planOf("tikv", stepItems([alone, alone]))],
            "basic: 4 steps, about 3 min (rules of thumb): restart 1 PD and 2 TiKV; record dev as the owner of the cluster; risk in steps 3 and 4",
        ],
        [
            "never without risk where a plan is deferred, and why it is",
            [
                ...upgrade.slice(0, 1),
                planOf("tikv", [], silent),
                planOf("tikv", [], silent),
                planOf("tidb", [], silent),
            ],
            `basic: 3 steps, at least 3 min (rules of thumb): restart 3 PD; risk not known yet; plan of basic-tikv and basic-tidb ${silent}`,
        ],
        [
            "never without risk where a gate without a change could not be read, and which one",
            [
                ...upgrade.slice(0, 1),
                { ...planOf("tikv", []), unread: "HTTP 503" },
                { ...planOf("tikv", []), unread: "HTTP 503" },
            ],
            "basic: 3 steps, at least 3 min (rules of thumb): restart 3 PD; risk not known yet; basic-tikv could not be read: HTTP 503",
        ],
        [
            "nothing where gates could not be read and nothing is planned",
            [{ ...planOf("tikv", []), unread: "503" }],
            undefined,
        ],
        [
            "one reason where all plans are deferred",
            [planOf("pd", [], "deferred: this is new"), planOf("tikv", [], "deferred: this is new")],
            "basic: plan deferred: this is new",
        ],
        [
            "one reason where the API server does not answer, and no steps that only read",
            [
                { ...planOf("pd", []), unread: "the whole error of the API server" },
                planOf("pd", [reading], "deferred: the API server does not answer"),
                planOf("tikv", [reading], "deferred: the API server does not answer"),
            ],
            "basic: plan deferred: the API server does not answer",
        ],
        ["work alone", [planOf("pd", [owner])], `basic: 1 step: ${owner.words}`],
        ["the same work of several gates once", [planOf("pd", [owner, owner])], `basic: 2 steps: ${owner.words}`],
        [
            "what the update waits for where there is no step, which would be said twice otherwise",
            [planOf("pd", [lacking, lacking])],
            "basic: the update waits for 2 conditions",
        ],
        [
            "steps without what the update waits for",
            [planOf("pd", stepItems(restarts("pd", 0))), planOf("pd", [lacking])],
            "basic: 1 step, about 60 s (rules of thumb): restart 1 PD; no risk found",
        ],
    ] as const) {
        it(`is ${name}`, () => {
            assert.equal(summarizePlans("basic", gates), line);
        });
    }
});
