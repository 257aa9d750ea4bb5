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
        };
    });
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
