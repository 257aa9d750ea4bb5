import type { ObservedPlacement, ObservedStore, PlacementRule } from "../vocabulary/observation";

/** How many copies PD keeps and where, by its placement rules where they are on, else by `replication.max-replicas`. */

/** @returns the rules that place copies on TiFlash stores; those of TiKV name no engine. */
export function tiflashRules({ rules = [] }: ObservedPlacement): PlacementRule[] {
    return rules.filter(isForTiflash);
}

function isForTiflash({ constraints }: PlacementRule): boolean {
    return constraints.some(({ key, op, values }) => key === "engine" && op === "in" && values.includes("tiflash"));
}

/**
 * The rules of TiKV that hold together: those for all keys, and those of one group with one range of keys. Where no rule is
 * known, that is one of `max-replicas` voters.
 */
function tikvRuleSets({ maxReplicas, rules }: ObservedPlacement): PlacementRule[][] {
    const own = (rules ?? []).filter((rule) => !isForTiflash(rule));
    if (own.length === 0) {
        return [[{ ...everywhere, count: maxReplicas }]];
    }
    const sets = new Map<string, PlacementRule[]>();
    for (const rule of own) {
        // TiDB's groups, for the ranges of tables, replace PD's default; groups for all keys add to it.
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

/** @returns the most voters that a region can have to have, if all rules of TiKV held for it: never too few. */
export function mostVoters({ maxReplicas, rules }: ObservedPlacement): number {
    const own = (rules ?? []).filter((rule) => !isForTiflash(rule) && rule.role !== "learner");
    return own.length === 0 ? maxReplicas : sum(own);
}

/** @returns the fewest voters that a region is to have. With one or two, no restart leaves a majority. */
export function fewestVoters(placement: ObservedPlacement): number {
    const voters = (rules: PlacementRule[]) => sum(rules.filter(({ role }) => role !== "learner"));
    return Math.min(
        ...tikvRuleSets(placement)
            .map(voters)
            .filter((count) => count > 0),
    );
}

/**
 * @param stores those that would be left.
 * @returns why they cannot hold every copy that PD keeps, in words; `undefined` where they can.
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
            return `the placement rule ${unmet.group}/${unmet.id} needs ${unmet.count} stores with its labels, ${matching} of them have these`;
        }
    }
    return undefined;
}

function sourceOf({ group, id }: PlacementRule): string {
    return group === "pd" && id === "default" ? "replication.max-replicas" : `placement rule ${group}/${id}`;
}

/** As PD matches labels (tikv/pd pkg/schedule/placement/label_constraint.go). */
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
