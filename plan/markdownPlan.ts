import { duration, secondsOf } from "../provider/lifecycle/walks/describePlan";
import { stepInWords } from "../provider/lifecycle/walks/planStep";
import type { ClusterPlan, PlanEntry } from "./clusterPlan";
import { code, prose } from "./markdownText";
import { beyondThePlan, entryNumbers, headline, ownership, readFrom } from "./planWords";

/** The first line of the Markdown: a workflow finds its own comment by it. */
export const commentMarker = "<!-- pulumi-tidb plan -->";

/** GitHub refuses longer comments. Below it there is room for a workflow's own words. */
const longestComment = 65_536 - 5_000;

/** How much is shown, from everything to little: the first that is short enough is taken. */
const amounts = [
    { rows: Infinity, details: true },
    { rows: Infinity, details: false },
    ...[200, 100, 50, 20, 10, 0].map((rows) => ({ rows, details: false })),
];

/** Writes plans as a comment on a pull request: refusals first, a table of the steps, and all of their words below. */
export function markdownPlan(plans: readonly ClusterPlan[]): string {
    const texts = amounts.map((amount) => () => written(plans, amount));
    for (const text of texts.map((write) => write())) {
        if (text.length <= longestComment) {
            return text;
        }
    }
    return written(plans, amounts[amounts.length - 1]);
}

function written(plans: readonly ClusterPlan[], amount: (typeof amounts)[number]): string {
    const sections = plans.map((plan) => clusterSection(plan, amount));
    return `${[commentMarker, ...sections, `<sub>${beyondThePlan}</sub>`].join("\n\n")}\n`;
}

function clusterSection(plan: ClusterPlan, { rows, details }: (typeof amounts)[number]): string {
    const { name, namespace, refusals, warnings, remarks, deferred, entries } = plan;
    const owner = ownership(plan);
    const words = `**${sentence(headline(plan))}**`;
    const hidden = entries.length - Math.min(rows, entries.length);
    return [
        `## TidbCluster ${code(`${namespace}/${name}`)}`,
        [words, ...[readFrom(plan), ...(owner === undefined ? [] : [owner])].map((one) => sentence(prose(one)))].join(
            " ",
        ),
        ...alert(
            "CAUTION",
            "Refused: `pulumi up` with a preview fails before it changes anything.",
            refusals.map(({ gate, reason }) => `${code(gate)}: ${withSubItems(reason)}`),
        ),
        ...alert(
            "WARNING",
            undefined,
            warnings.map(({ message }) => withSubItems(message)),
        ),
        ...alert("NOTE", undefined, [
            ...deferred.map(({ gates, message }) => `Deferred: ${prose(message)} (${gates.map(code).join(", ")})`),
            ...remarks.map(({ message }) => prose(message)),
        ]),
        ...(entries.length === 0 ? [] : [table(entries.slice(0, entries.length - hidden))]),
        ...(hidden === 0 ? [] : [`… and ${hidden} more: run \`pulumi-tidb plan\` to see all of them.`]),
        ...(entries.length === 0 || !details ? [] : [inFull(entries)]),
    ].join("\n\n");
}

function alert(kind: string, title: string | undefined, items: readonly string[]): string[] {
    const listed = items.flatMap((item) => `- ${item}`.split("\n"));
    const lines = [`[!${kind}]`, ...(title === undefined ? [] : [title, ""]), ...listed];
    return items.length === 0 ? [] : [lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n")];
}

/** A warning of a paused cluster and a refusal of several members have several lines. */
function withSubItems(text: string): string {
    return text
        .split("\n")
        .map((line, index) => (index === 0 ? prose(line) : `  - ${prose(line.replace(/^ *- /, ""))}`))
        .join("\n");
}

function table(entries: readonly PlanEntry[]): string {
    const numbers = entryNumbers(entries);
    const rows = entries.map((entry, index) => `| ${[numbers[index] ?? "", ...cells(entry)].join(" | ")} |`);
    return ["| # | step | why | until | about |", "| --: | --- | --- | --- | --: |", ...rows].join("\n");
}

function cells({ type, text, step }: PlanEntry): string[] {
    if (step === undefined) {
        return [`${type === "note" ? "note: " : ""}${prose(text)}`, "", "", ""];
    }
    const what = `${stepInWords({ ...step, target: code(step.target) })}${step.risk === undefined ? "" : ` ⚠️ ${prose(step.risk)}`}`;
    const own = step.isOpenEnded ? "nobody knows" : duration(secondsOf(step));
    const time = step.beside === undefined ? own : `beside ${code(step.beside)}`;
    return type === "step"
        ? [what, prose(step.why), prose(step.waitsFor ?? ""), time]
        : [what, prose(step.why), "PD answers", ""];
}

/** The words of `pulumi preview`, which also name the single actions of each step. */
function inFull(entries: readonly PlanEntry[]): string {
    const numbers = entryNumbers(entries);
    const lines = entries.map(
        ({ gate, text }, index) => `${numbers[index] ? `${numbers[index]}.` : "-"} ${code(gate)}: ${prose(text)}`,
    );
    return `<details><summary>Every step in full</summary>\n\n${lines.join("\n")}\n\n</details>`;
}

function sentence(text: string): string {
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
