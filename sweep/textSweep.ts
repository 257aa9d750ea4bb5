import { visible } from "../components/problem";
import type { ClusterSweep, SweptLeftover } from "./clusterSweep";

/** Writes a sweep for a terminal or a log. @param removing the command that removes what is left. */
export function textSweep(sweep: ClusterSweep, removing: string): string {
    const { name, namespace, at, kubernetes, leftovers, notKnown, failure } = sweep;
    const ours = leftovers.filter(({ isOurs }) => isOurs).length;
    const others = leftovers.length - ours;
    const nothing = notKnown.length > 0 ? "nothing is found" : "nothing is left behind";
    const count = ours === 0 ? `${nothing} by earlier runs` : `${ours} left behind by earlier runs`;
    const mayRemove =
        notKnown.length === 0 && leftovers.some((one) => one.verdict === "remove" && one.isRemoved === null);
    const lines = [
        `TidbCluster ${namespace}/${name}`,
        `  read at ${at} with the context \`${kubernetes.context}\` from \`${kubernetes.server}\``,
        `  ${count}${others > 0 ? `, ${others} of somebody else` : ""}`,
        ...notKnown.map((line) => `  not known: ${line}`),
        ...leftovers.flatMap((one) => [
            "",
            `${outcome(one)}: ${one.target}: ${one.seen}`,
            `  by: ${one.by}`,
            `  ${one.why}`,
        ]),
        ...(failure === null ? [] : ["", `not finished: ${failure}`]),
        ...(mayRemove ? ["", `To remove what says "remove": ${removing}`] : []),
    ];
    return lines.map((line) => `${visible(line)}\n`).join("");
}

function outcome({ isRemoved, verdict }: SweptLeftover): string {
    return isRemoved === null ? verdict : isRemoved ? "removed" : "still there";
}
