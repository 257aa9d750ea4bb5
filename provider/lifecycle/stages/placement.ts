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
function tikvRuleSets({ maxReplicas, rules, isolationLabels }: ObservedPlacement): PlacementRule[][] {
    const own = (rules ?? []).filter((rule) => !isForTiflash(rule));
    if (own.length === 0) {
        return [[{ ...everywhere, count: maxReplicas, isolationLabels }]];
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

/** How many peers the stores of a list have. Every pod of a walk is compared with it. */
const peersOf = new WeakMap<readonly Pick<ObservedStore, "regionCount">[], number>();

/**
 * After `max-replicas` was raised, PD counts a region as one that lacks a peer only when it changes or is reported to another leader. The
 * peers that the stores have tell of all of them, if no rule for a range of keys wants more.
 * @param stores those of TiKV.
 * @returns how many peers the regions lack in all, at least.
 */
export function missingPeers(
    placement: ObservedPlacement,
    regionCount: number,
    stores: readonly Pick<ObservedStore, "regionCount">[],
): number {
    const peers = peersOf.get(stores) ?? stores.reduce((total, store) => total + store.regionCount, 0);
    peersOf.set(stores, peers);
    return Math.max(0, fewestVoters(placement) * regionCount - peers);
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
        const unmet = unmetOf(rules, placement, stores);
        if (unmet !== undefined) {
            return unmet;
        }
        const usable = stores.filter((store) => rules.some((rule) => isUsable(rule, placement, store))).length;
        if (usable < needed) {
            return `PD keeps ${needed} replicas of each region (${sourceOf(rules[0])}), and the labels of ${usable} of them match`;
        }
    }
    return undefined;
}

/** @returns why PD finds too few places among the stores for the replicas of one of the rules; `undefined` if it finds enough. */
export function unmetOf(
    rules: readonly PlacementRule[],
    placement: ObservedPlacement,
    stores: readonly ObservedStore[],
): string | undefined {
    for (const rule of rules) {
        const { group, id, count, isolationLabels = [] } = rule;
        const who = placement.rules ? `the placement rule ${group}/${id}` : "PD";
        const usable = stores.filter((store) => isUsable(rule, placement, store));
        if (usable.length < count) {
            const barring = [...new Set(stores.flatMap((store) => barringLabels(rule, placement, store)))];
            const why = barring.length > 0 ? ` (kept off others by the label ${barring.join(", ")})` : "";
            return `${who} needs ${counted(count, "store")} with matching labels, and ${usable.length} of them ${usable.length === 1 ? "matches" : "match"}${why}`;
        }
        const places = new Set(
            usable.map((store) => JSON.stringify(isolationLabels.map((key) => labelOf(store, key)))),
        );
        // PD moves a single replica, too, only to another place than that of the store that leaves.
        const apart = Math.max(count, 2);
        if (isolationLabels.length > 0 && places.size < apart) {
            const bare = usable.filter((store) => isolationLabels.some((key) => !labelOf(store, key))).length;
            const hint =
                bare === 0
                    ? ""
                    : `; ${bare} of them ${bare === 1 ? "has" : "have"} no such label in PD: an update that removes no store sets those of the nodes`;
            return `${who} needs ${apart} places told apart by ${isolationLabels.join(" and ")} (isolation-level), and they are in ${places.size}${hint}`;
        }
    }
    return undefined;
}

function sourceOf({ group, id }: PlacementRule): string {
    return group === "pd" && id === "default" ? "replication.max-replicas" : `placement rule ${group}/${id}`;
}

/** @returns whether the store's labels let PD move replicas of the rule there (tikv/pd pkg/schedule/placement/label_constraint.go, filter/filters.go). */
function isUsable(rule: PlacementRule, placement: ObservedPlacement, store: ObservedStore): boolean {
    return (
        barringLabels(rule, placement, store).length === 0 &&
        rule.constraints.every(({ key, op, values }) => {
            const value = labelOf(store, key);
            switch (op) {
                case "in":
                    return value !== "" && values.includes(value);
                case "notIn":
                    return value === "" || !values.includes(value);
                case "exists":
                    return value !== "";
                case "notExists":
                    return value === "";
            }
        })
    );
}

/** @returns the labels that keep the replicas of all rules off a store that do not name them. Without rules, PD heeds `specialUse` alone. */
function barringLabels({ constraints }: PlacementRule, { rules }: ObservedPlacement, store: ObservedStore): string[] {
    const special = ["hotRegion", "reserved"].includes(labelOf(store, "specialUse")) ? ["specialUse"] : [];
    const isExclusive = (key: string) => key.startsWith("$") || key === "engine" || key === "exclusive";
    const exclusive = Object.keys(rules ? store.labels : {}).filter(isExclusive);
    return [...exclusive.filter((key) => constraints.every((one) => one.key !== key)), ...special];
}

/** @returns the value of a label as PD reads it: names are compared without case, and an empty value is none. */
function labelOf({ labels }: ObservedStore, key: string): string {
    const name = key in labels ? key : Object.keys(labels).find((one) => one.toLowerCase() === key.toLowerCase());
    return name === undefined ? "" : labels[name];
}

function sum(rules: readonly PlacementRule[]): number {
    return rules.reduce((total, { count }) => total + count, 0);
}
