import assert from "node:assert/strict";
import type { ClusterPlan, PlanEntry } from "../../../plan/clusterPlan";
import { markdownPlan } from "../../../plan/markdownPlan";
import { code, prose } from "../../../plan/markdownText";
import { textPlan } from "../../../plan/textPlan";
import type { PlanItem } from "../../../provider/lifecycle/walks/describePlan";
import type { PlanStep } from "../../../provider/lifecycle/walks/planStep";
import { summarizePlans } from "../../../provider/lifecycle/walks/planReport";

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

const footer =
    "This is the gates' plan. `pulumi preview` also shows which Kubernetes objects are created, changed or deleted.";

describe("a plan as text", () => {
    it("says that a backup before the upgrade is not in the time", () => {
        const estimate = {
            ...{ seconds: 90, operations: [], gates: [{ gate: "tikv-rollout", seconds: 90 }] },
            missing: [{ gate: "before-upgrade", reason: "no Job shows it", work: "the backup" }],
        };
        const backup: PlanEntry = { gate: "before-upgrade", component: null, type: "task", text: "run Job b" };
        const [headline] = textPlan([planned({ entries: [backup, restart], estimate })]).split("\n");
        assert.match(
            headline,
            /: 2 steps, about 90 s, and the backup, which has no estimate: restart 1 TiKV; run Job b;/,
        );
    });

    it("has the sum of the steps' times in its headline, as the table has them, and of a backup before them", () => {
        const { step } = restart;
        const settle: PlanEntry = {
            ...{ ...restart, gate: "pd-rollout" },
            step: { ...(step as PlanStep), kind: "settle", estimateSeconds: 70, expectedSeconds: 3 },
        };
        const backup: PlanEntry = { gate: "before-upgrade", component: null, type: "task", text: "run Job b" };
        const why = "the journal does not show a restart";
        const estimate = {
            ...{ seconds: 13, operations: [], missing: [{ gate: "tikv-rollout", reason: why }] },
            gates: [
                { gate: "before-upgrade", seconds: 10 },
                { gate: "pd-rollout", seconds: 3 },
                { gate: "tikv-rollout", seconds: null },
            ],
        };
        const markdown = markdownPlan([planned({ entries: [backup, settle, restart], estimate })]);
        assert.match(markdown, /\*\*3 steps, about 103 s \(rules of thumb for tikv-rollout: /);
        assert.deepEqual(
            [...markdown.matchAll(/\| (\d+) s \|$/gm)].map(([, seconds]) => Number(seconds)),
            [3, 90],
        );
    });

    it("has a headline, the owner, and the steps in order", () => {
        assert.equal(
            textPlan([planned({ entries: [restart], estimateSeconds: 90 })]),
            [
                "TidbCluster tidb/basic: 1 step, about 90 s (rules of thumb): restart 1 TiKV; risk in step 1",
                "  read with the context `prod_eu` from `https://k8s.example:6443`",
                "  owner: stack acme/shop/prod owns it; `pulumi up` of another stack is refused",
                `  1. tikv-rollout: ${restart.text}`,
                "",
                `${footer}\n`,
            ].join("\n"),
        );
    });

    it("puts refusals first, with each line, and says why there is no exact plan", () => {
        const text = textPlan([
            planned({
                refusals: [{ gate: "cluster", reason: "spec.tikv: one\nspec.pd: two" }],
                warnings: ["doubtful"],
                deferred: [{ gates: ["pd-scale", "pd-rollout"], reason: "PD is silent" }],
            }),
        ]);
        assert.deepEqual(text.split("\n").slice(0, 7), [
            "TidbCluster tidb/basic: refused (1 reason); nothing will be done",
            "  refused (cluster): spec.tikv: one",
            "    spec.pd: two",
            "  read with the context `prod_eu` from `https://k8s.example:6443`",
            "  owner: stack acme/shop/prod owns it; `pulumi up` of another stack is refused",
            "  warning: doubtful",
            "  deferred (pd-scale, pd-rollout): PD is silent",
        ]);
    });

    it("says the same about the cluster as pulumi preview, and numbers the steps in the same way", () => {
        const note: PlanEntry = { gate: "tikv-rollout", component: "tikv", type: "note", text: "reloaded" };
        const task: PlanEntry = { gate: "ready", component: null, type: "task", text: "end an eviction" };
        const entries = [note, restart, restart, task];
        const items: PlanItem[] = [
            { is: "note", words: "reloaded", isWarning: false },
            ...[restart, restart].map(({ step }): PlanItem => ({ is: "step", step: step as PlanStep })),
            { is: "task", words: "end an eviction" },
        ];
        const lines = textPlan([planned({ entries })]).split("\n");
        assert.equal(
            lines[0].replace("TidbCluster tidb/", ""),
            summarizePlans("basic", [{ of: "basic", plan: items, deferred: "" }]),
        );
        assert.match(
            lines[0],
            /: 3 steps, about 3 min \(rules of thumb\): restart 2 TiKV; end an eviction; risk in steps 1 and 2$/,
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

    it("says that there is nothing to do", () => {
        assert.match(textPlan([planned({ owner: null })]), /basic: nothing to do\n.*\n {2}owner: no stack is recorded/);
    });

    it("shows control characters of a message as escapes", () => {
        assert.match(textPlan([planned({ warnings: ["a\u001b[31mred"] })]), /warning: a\\u001b\[31mred/);
    });
});

describe("a plan as Markdown", () => {
    it("is refused: the refusals come first, and there is no table", () => {
        const refusals = [{ gate: "tikv-scale", reason: "spec.tikv.replicas: found 2, expected 3" }];
        assert.equal(
            markdownPlan([planned({ refusals })]),
            `<!-- pulumi-tidb plan -->

## TidbCluster \`tidb/basic\`

**Refused (1 reason); nothing will be done.** Read with the context \`prod_eu\` from \`https://k8s.example:6443\`. Stack acme/shop/prod owns it; \`pulumi up\` of another stack is refused.

> [!CAUTION]
> Refused: \`pulumi up\` with a preview fails before it changes anything.
>
> - \`tikv-scale\`: spec.tikv.replicas: found 2, expected 3

<sub>${footer}</sub>
`,
        );
    });

    it("says beside which pod one of a batch restarts, and no time of 0", () => {
        const step = { ...(restart.step as PlanStep), estimateSeconds: 0, beside: "basic-tikv-3" };
        assert.match(markdownPlan([planned({ entries: [{ ...restart, step }] })]), /\| beside `basic-tikv-3` \|$/m);
    });

    it("has each line of a warning and of a refusal", () => {
        const warnings = ["spec.paused is true; withheld:\n  - restart a*\n  - restart b"];
        const lines = (more: Partial<ClusterPlan>) => markdownPlan([planned(more)]).split("\n");
        const first = "> - spec.paused is true; withheld:";
        const found = lines({ warnings });
        assert.deepEqual(found.slice(found.indexOf(first), found.indexOf(first) + 3), [
            first,
            ">   - restart a\\*",
            ">   - restart b",
        ]);
        const refusals = [{ gate: "cluster", reason: "spec.tikv: one\nspec.pd: two" }];
        assert.ok(lines({ refusals }).join("\n").includes("> - `cluster`: spec.tikv: one\n>   - spec.pd: two\n"));
    });

    it("is a section with a table, and all text below it", () => {
        const markdown = markdownPlan([planned({ entries: [restart], estimateSeconds: 90 })]);
        assert.equal(
            markdown,
            `<!-- pulumi-tidb plan -->

## TidbCluster \`tidb/basic\`

**1 step, about 90 s (rules of thumb): restart 1 TiKV; risk in step 1.** Read with the context \`prod_eu\` from \`https://k8s.example:6443\`. Stack acme/shop/prod owns it; \`pulumi up\` of another stack is refused.

| # | step | why | until | about |
| --: | --- | --- | --- | --: |
| 1 | restart \`basic-tikv-2\` ⚠️ 1 region | new template | Ready, store Up | 90 s |

<details><summary>Every step in full</summary>

1. \`tikv-rollout\`: restart basic-tikv-2 \\(new template\\): evict 500 leaders, delete pod; until Ready, store Up \\(\\~90 s\\); risk: 1 region

</details>

<sub>${footer}</sub>
`,
        );
    });

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
        assert.match(markdown, /\n… and 1800 more: run `pulumi-tidb plan` to see all of them\.\n/);
        assert.match(markdown, /\*\*2000 steps, /);
        assert.doesNotMatch(markdown, /<details>/);
    });

    it("has a section for each cluster, and begins with the mark that finds its comment", () => {
        const markdown = markdownPlan([planned(), planned({ name: "other" })]);
        assert.deepEqual(markdown.match(/^## .*$/gm), ["## TidbCluster `tidb/basic`", "## TidbCluster `tidb/other`"]);
        assert.equal(markdown.split("\n")[0], "<!-- pulumi-tidb plan -->");
    });
});
