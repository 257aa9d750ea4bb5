import type { Component } from "../../../topology/members";

/** What a warning puts at risk in the plans of some members. */
export interface MemberRisk {
    readonly words: string;
    readonly members: readonly Component[];
}

/** What the warnings of a gate put at risk, in short: of all members, and of single ones. Default of both: nothing. */
interface WarnedRisks {
    readonly risks?: readonly string[];
    readonly memberRisks?: readonly MemberRisk[];
}

/**
 * @param component the member whose plan it is for. Default: that of the whole cluster.
 * @returns what warnings of these gates put at risk, each once.
 */
export function warnedRisks(gates: readonly WarnedRisks[], component?: Component): string[] {
    const found = gates.flatMap(({ risks = [], memberRisks = [] }) => {
        const some = memberRisks.filter(({ members }) => component === undefined || members.includes(component));
        return [...risks, ...some.map(({ words }) => words)];
    });
    return [...new Set(found)];
}
