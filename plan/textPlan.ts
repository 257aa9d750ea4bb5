import { traceLines } from "./traceOfPlan";
import { visible } from "../components/problem";
import type { ClusterPlan } from "./clusterPlan";
import { beyondThePlan, entryNumbers, headline, ownership, readFrom } from "./planWords";

/** Writes plans for a terminal or a log. */
export function textPlan(plans: readonly ClusterPlan[]): string {
    return [...plans.map(clusterText), `${beyondThePlan}\n`].join("\n");
}

function clusterText(plan: ClusterPlan): string {
    const { name, namespace, refusals, warnings, remarks, deferred, entries, traces = [] } = plan;
    const owner = ownership(plan);
    const numbers = entryNumbers(entries);
    const digits = String(entries.length).length;
    const lines = [
        `TidbCluster ${namespace}/${name}: ${headline(plan)}`,
        ...refusals.flatMap(({ gate, reason }) => listed(`refused (${gate}): `, reason)),
        `  ${oneLine(readFrom(plan))}`,
        ...(owner === undefined ? [] : [`  owner: ${oneLine(owner)}`]),
        ...warnings.flatMap(({ message }) => listed("warning: ", message)),
        ...deferred.flatMap(({ gates, message }) => listed(`deferred (${gates.join(", ")}): `, message)),
        ...remarks.flatMap(({ message }) => listed("note: ", message)),
        ...entries.map(({ gate, text }, index) => {
            const number = numbers[index] === undefined ? "- " : `${numbers[index]}.`;
            return `  ${number.padStart(digits + 1)} ${gate}: ${oneLine(text)}`;
        }),
        ...traces.flatMap(traceLines).map((line) => `  ${oneLine(line)}`),
    ];
    return lines.map((line) => `${line}\n`).join("");
}

/** A refusal of several members has several lines. */
function listed(label: string, text: string): string[] {
    const [first, ...others] = text.split("\n").map(visible);
    return [`  ${label}${first}`, ...others.map((line) => `    ${line}`)];
}

function oneLine(text: string): string {
    return visible(text);
}
