import type { ObservedPlacement, ObservedStore, PlacementRule } from "../vocabulary/observation";
import { counted } from "../vocabulary/counted";

/** How many replicas PD keeps and where: from its placement rules if enabled, otherwise from `replication.max-replicas`. */

/** @returns the rules that place replicas on TiFlash stores. Rules for TiKV name no engine. */
export function tiflashRules({ rules = [] }: ObservedPlacement): PlacementRule[] {
    return rules.filter(isForTiflash);
}

/** @returns whether the rule places replicas on TiFlash stores. */
export function isForTiflash({ constraints }: PlacementRule): boolean {
    return constraints.some(({ key, op, values }) => key === "engine" && op === "in" && values.includes("tiflash"));
}

/**
 * The sets of TiKV rules that apply together: the rules for all keys, and the rules of one group with one key range.
 * Without any rule, there is one set with `max-replicas` voters.
 */
function tikvRuleSets({ maxReplicas, rules }: ObservedPlacement): PlacementRule[][] {
    const own = (rules ?? []).filter((rule) => !isForTiflash(rule));
    if (own.length === 0) {
        return [[{ ...everywhere, count: maxReplicas }]];
    }
    const sets = new Map<string, PlacementRule[]>();
    for (const rule of own) {
        // TiDB's groups for the key ranges of tables replace PD's default. Groups for all keys add to it.
        const isForAll = rule.startKey === "" && rule.endKey === "";
        const key = isForAll ? "" : [rule.group, rule.startKey, rule.endKey].join(" ");
        sets.set(key, [...(sets.get(key) ?? []), rule]);
    }
    return [...sets.values()];
}

const everywhere: PlacementRule = {
    group: "pd",
    id: "default",
    role: "voter",
    count: 0,
    constraints: [],
    startKey: "",
    endKey: "",
};

/** @returns the highest number of voters that a region can require, as if all TiKV rules applied to it. Never too low. */
export function mostVoters({ maxReplicas, rules }: ObservedPlacement): number {
    const own = (rules ?? []).filter((rule) => !isForTiflash(rule) && rule.role !== "learner");
    return own.length === 0 ? maxReplicas : sum(own);
}

/** @returns the lowest number of voters that any region requires. With one or two, a restart never leaves a majority. */
export function fewestVoters(placement: ObservedPlacement): number {
    const voters = (rules: PlacementRule[]) => sum(rules.filter(({ role }) => role !== "learner"));
    return Math.min(
        ...tikvRuleSets(placement)
            .map(voters)
            .filter((count) => count > 0),
    );
}

/**
 * @param stores the stores that would be left.
 * @returns why they cannot hold every replica that PD keeps; `undefined` if they can.
 */
export function tooFewFor(placement: ObservedPlacement, stores: readonly ObservedStore[]): string | undefined {
    for (const rules of tikvRuleSets(placement)) {
        const needed = sum(rules);
        if (stores.length < needed) {
            return `PD keeps ${needed} replicas of each region (${sourceOf(rules[0])})`;
        }
        const unmet = rules.find((rule) => stores.filter((store) => isMatched(rule, store)).length < rule.count);
        if (unmet) {
            const matching = stores.filter((store) => isMatched(unmet, store)).length;
            return `the placement rule ${unmet.group}/${unmet.id} needs ${counted(unmet.count, "store")} with matching labels, and ${matching} of them ${matching === 1 ? "matches" : "match"}`;
        }
    }
    return undefined;
}

function sourceOf({ group, id }: PlacementRule): string {
    return group === "pd" && id === "default" ? "replication.max-replicas" : `placement rule ${group}/${id}`;
}

/** Matches labels as PD does (tikv/pd pkg/schedule/placement/label_constraint.go). */
function isMatched({ constraints }: PlacementRule, { labels }: ObservedStore): boolean {
    return constraints.every(({ key, op, values }) => {
        const value = labels[key];
        switch (op) {
            case "in":
                return value !== undefined && values.includes(value);
            case "notIn":
                return value === undefined || !values.includes(value);
            case "exists":
                return value !== undefined;
            case "notExists":
                return value === undefined;
        }
    });
}

function sum(rules: readonly PlacementRule[]): number {
    return rules.reduce((total, { count }) => total + count, 0);
}
