import { decodeWire } from "./json";
import type { PdLabelConstraint, PdPlacementRule } from "./model";
import { asArray, asCount, asObject, asText, asTexts, BadAnswer, optional } from "./wireFields";

const roles = ["voter", "leader", "follower", "learner"] as const;
const operators = ["in", "notIn", "exists", "notExists"] as const;

/** Reads the answer to `config/rules`. */
export function parsePlacementRules(body: string): PdPlacementRule[] {
    return asArray(decodeWire(body), "rules").map((element, index) => {
        const rule = asObject(element, `[${index}]`);
        const constraints = optional(rule.label_constraints, `[${index}].label_constraints`, asArray) ?? [];
        return {
            group: optional(rule.group_id, `[${index}].group_id`, asText) ?? "",
            id: asText(rule.id, `[${index}].id`),
            role: oneOf(roles, rule.role, `[${index}].role`),
            count: asCount(rule.count, `[${index}].count`),
            constraints: constraints.map((one, at) => toConstraint(one, `[${index}].label_constraints[${at}]`)),
            startKey: optional(rule.start_key, `[${index}].start_key`, asText) ?? "",
            endKey: optional(rule.end_key, `[${index}].end_key`, asText) ?? "",
            ...isolatedBy(
                optional(rule.isolation_level, `[${index}].isolation_level`, asText),
                optional(rule.location_labels, `[${index}].location_labels`, asTexts) ?? [],
            ),
        };
    });
}

/** PD takes a level that is none of the labels for the first one (tikv/pd pkg/schedule/filter/filters.go, `NewIsolationFilter`). */
export function isolatedBy(
    level: string | undefined,
    labels: readonly string[],
): Pick<PdPlacementRule, "isolationLabels"> {
    const isolationLabels = level ? labels.slice(0, Math.max(0, labels.indexOf(level)) + 1) : [];
    return isolationLabels.length > 0 ? { isolationLabels } : {};
}

function toConstraint(value: unknown, field: string): PdLabelConstraint {
    const constraint = asObject(value, field);
    return {
        key: asText(constraint.key, `${field}.key`),
        op: oneOf(operators, constraint.op, `${field}.op`),
        values: optional(constraint.values, `${field}.values`, asTexts) ?? [],
    };
}

function oneOf<T extends string>(known: readonly T[], value: unknown, field: string): T {
    const found = known.find((one) => one === value);
    if (found === undefined) {
        throw new BadAnswer(field, value, known.join(", "));
    }
    return found;
}
