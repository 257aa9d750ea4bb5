import { visible } from "../../components/problem";
import { listed } from "../listed";
import { unpaused } from "../unfinishedUpdate";
import { problemWords } from "./assembleDiagnosis";
import type { ClusterDiagnosis, Problem } from "./clusterDiagnosis";

/** Writes a diagnosis for a terminal or a log. */
export function textDiagnosis({
    name,
    namespace,
    kubernetes,
    at,
    isWell,
    isPaused,
    mayBeUnfinished,
    problems,
    findings,
    remarks,
    notKnown,
}: ClusterDiagnosis): string {
    const wrong = problems.length + findings.length;
    const next = isPaused
        ? `${unpaused}, then run \`pulumi up\``
        : "run `pulumi up` again, unless one has ended well since then";
    const but = mayBeUnfinished ? `, but an update may be unfinished: ${next}` : "";
    const verdict =
        wrong > 0 ? counted(wrong) : `${isWell ? "nothing is wrong" : "nothing is known to be wrong"}${but}`;
    const lines = [
        `TidbCluster ${namespace}/${name}: ${verdict}`,
        `  read at ${at} with the context \`${kubernetes.context}\` from \`${kubernetes.server}\``,
        ...problems.flatMap((problem) => ["", ...ofProblem(problem)]),
        ...(findings.length === 0 ? [] : ["", ...findings]),
        ...(remarks.length + notKnown.length === 0 ? [] : [""]),
        ...remarks.map(({ message }) => `note: ${message}`),
        ...notKnown.map((line) => `not known: ${line}`),
    ];
    return lines.map((line) => `${visible(line)}\n`).join("");
}

function counted(problems: number): string {
    return problems === 1 ? "1 problem" : `${problems} problems`;
}

function ofProblem(problem: Problem): string[] {
    const { pods, fix, needsChange } = problem;
    const about = pods.length === 0 ? "" : `${listed(pods)}: `;
    return [
        `${about}${problemWords(problem)}`,
        `  fix: ${fix}`,
        ...(needsChange ? ["  It cannot come right by itself."] : []),
    ];
}
