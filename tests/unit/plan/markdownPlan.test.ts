import assert from "node:assert/strict";
import type { ClusterPlan, PlanEntry } from "../../../plan/clusterPlan";
import { markdownPlan } from "../../../plan/markdownPlan";
import { code, prose } from "../../../plan/markdownText";
import { textPlan } from "../../../plan/textPlan";
import type { PlanItem } from "../../../provider/lifecycle/walks/describePlan";
import type { PlanStep } from "../../../provider/lifecycle/walks/planStep";
import { summarizePlans } from "../../../provider/lifecycle/walks/planReport";
import { pinnedWords } from "../../support/pinned";
import { noticesOf } from "../../../provider/lifecycle/vocabulary/notices";

const restart: PlanEntry = {
    gate: "tikv-rollout",
    component: "tikv",
    type: "step",
    text: "restart basic-tikv-2 (new template): evict 500 leaders, delete pod; until Ready, store Up (~90 s); risk: 1 region",
    step: {
        kind: "restart",
        component: "tikv",
        target: "basic-tikv-2",
        why: "new template",
        does: ["evict 500 leaders", "delete pod"],
        waitsFor: "Ready, store Up",
        estimateSeconds: 90,
        risk: "1 region",
    },
};

function planned(more: Partial<ClusterPlan> = {}): ClusterPlan {
    return {
        name: "basic",
        namespace: "tidb",
        kubernetes: { context: "prod_eu", server: "https://k8s.example:6443" },
        isDeployed: true,
        isPaused: false,
        owner: { stack: "acme/shop/prod", urn: "urn:pulumi:prod::shop::tidb:index:TidbCluster::basic" },
        refusals: [],
        deferred: [],
        warnings: [],
        remarks: [],
        risks: [],
        entries: [],
        estimateSeconds: 0,
        estimate: null,
        ...more,
    };
}

const backup: PlanEntry = { gate: "before-upgrade", component: null, type: "task", text: "run Job b" };
const wait: PlanEntry = {
    ...{ ...restart, gate: "pd-rollout" },
    step: { ...(restart.step as PlanStep), kind: "wait", estimateSeconds: 70, expectedSeconds: 3 },
};
/** The records show how long a backup and a change of PD take, and not how long a restart of TiKV does. */
const withBackup = planned({
    entries: [backup, wait, restart],
    estimate: {
        ...{ seconds: 13, operations: [] },
        missing: [{ gate: "tikv-rollout", reason: "the journal does not show a restart" }],
        gates: [
            { gate: "before-upgrade", seconds: 10 },
            { gate: "pd-rollout", seconds: 3 },
            { gate: "tikv-rollout", seconds: null },
        ],
    },
});
const note: PlanEntry = { gate: "tikv-rollout", component: "tikv", type: "note", text: "reloaded" };
const task: PlanEntry = { gate: "ready", component: null, type: "task", text: "end an eviction" };
const beside = { ...(restart.step as PlanStep), estimateSeconds: 0, beside: "basic-tikv-3" };

const situations: Record<string, ClusterPlan> = {
    "there is nothing to do, and no stack owns the cluster": planned({ owner: null }),
    "a step has a risk": planned({ entries: [restart], estimateSeconds: 90 }),
    "notes, steps and tasks": planned({ entries: [note, restart, restart, task] }),
    "the records of the cluster have times, also of a backup": withBackup,
    "a backup before the upgrade has no time": planned({
        entries: [backup, restart],
        estimate: {
            ...{ seconds: 90, operations: [], gates: [{ gate: "tikv-rollout", seconds: 90 }] },
            missing: [{ gate: "before-upgrade", reason: "no Job shows it", work: "the backup" }],
        },
    }),
    "it is refused, with several lines, beside a warning and what is not known": planned({
        refusals: [{ gate: "cluster", reason: "spec.tikv: one\nspec.pd: two" }],
        warnings: noticesOf("manifest", "doubtful"),
        deferred: [{ gates: ["pd-scale", "pd-rollout"], code: "pd-answers", message: "PD is silent" }],
    }),
    "a warning has several lines": planned({
        warnings: noticesOf("paused", "spec.paused is true; withheld:\n  - restart a*\n  - restart b"),
    }),
    "a pod of a batch restarts beside another one": planned({ entries: [{ ...restart, step: beside }] }),
    "the cluster is paused": planned({ isPaused: true }),
};
const inEach = (write: (plans: ClusterPlan[]) => string) =>
    Object.fromEntries(Object.entries(situations).map(([title, plan]) => [title, () => write([plan])]));

describe("a plan as text", () => {
    pinnedWords("plan", inEach(textPlan));

    it("has the sum of the steps' times in its headline, as the table has them, and of a backup before them", () => {
        const markdown = markdownPlan([withBackup]);
        assert.ok(markdown.includes("**3 steps, about 103 s "), "10 s of the backup, 3 s and 90 s");
        assert.deepEqual(
            [...markdown.matchAll(/\| (\d+) s \|$/gm)].map(([, seconds]) => Number(seconds)),
            [3, 90],
        );
    });

    it("says the same about the cluster as pulumi preview, and numbers the steps in the same way", () => {
        const entries = [note, restart, restart, task];
        const items: PlanItem[] = [
            { is: "note", code: "config-change", words: "reloaded", isWarning: false },
            ...[restart, restart].map(({ step }): PlanItem => ({ is: "step", step: step as PlanStep })),
            { is: "task", words: "end an eviction" },
        ];
        const lines = textPlan([planned({ entries })]).split("\n");
        assert.equal(
            lines[0].replace("TidbCluster tidb/", ""),
            summarizePlans("basic", [{ of: "basic", plan: items, deferred: "" }]),
        );
        assert.deepEqual(
            lines.slice(3, 7).map((line) => line.slice(0, 17)),
            ["  -  tikv-rollout", "  1. tikv-rollout", "  2. tikv-rollout", "  3. ready: end a"],
        );
        const markdown = markdownPlan([planned({ entries })]);
        assert.deepEqual(
            [...markdown.matchAll(/^\| (\d*) \| (\w+)/gm)].map(([, number, what]) => [number, what]),
            [
                ["", "note"],
                ["1", "restart"],
                ["2", "restart"],
                ["3", "end"],
            ],
        );
    });

    it("shows control characters of a message as escapes", () => {
        assert.ok(
            textPlan([planned({ warnings: noticesOf("manifest", "a\u001b[31mred") })]).includes("a\\u001b[31mred"),
        );
    });
});

describe("a plan as Markdown", () => {
    pinnedWords("plan-markdown", inEach(markdownPlan));

    it("shows the text of users and servers literally, so it formats nothing and notifies nobody", () => {
        assert.equal(prose("a|b *c* <d> [e](f)"), "a\\|b \\*c\\* \\<d\\> \\[e\\]\\(f\\)");
        assert.equal(prose("by @acme/db, see #12 & `x|y`"), "by @&#8203;acme/db, see \\#&#8203;12 &amp; `x\\|y`");
        assert.equal(prose("1. no list\n- nor this"), "1\\. no list - nor this");
        assert.equal(prose("- no list"), "\\- no list");
        assert.equal(code("a`b``c"), "``` a`b``c ```");
        assert.equal(code("a|b"), "`a\\|b`");
        const entry: PlanEntry = { gate: "ready", component: null, type: "missing", text: "wait | for\nx" };
        const rows = markdownPlan([planned({ entries: [entry] })]).split("\n");
        assert.ok(rows.includes("|  | wait \\| for x |  |  |  |"), rows.join("\n"));
    });

    it("fits into a comment: a long plan is cut, and the rest is counted", () => {
        const entries = Array.from({ length: 2_000 }, () => restart);
        const markdown = markdownPlan([planned({ entries })]);
        assert.ok(markdown.length < 65_536, `${markdown.length}`);
        assert.equal(markdown.match(/^\| \d+ /gm)?.length, 200);
        assert.ok(markdown.includes("1800") && !markdown.includes("<details>"));
    });

    it("has a section for each cluster, and begins with the mark that finds its comment", () => {
        const markdown = markdownPlan([planned(), planned({ name: "other" })]);
        assert.deepEqual(markdown.match(/^## .*$/gm), ["## TidbCluster `tidb/basic`", "## TidbCluster `tidb/other`"]);
        assert.equal(markdown.split("\n")[0], "<!-- pulumi-tidb plan -->");
    });
});
