import { decodeWire } from "./json";
import type { PdUnsafeRecovery } from "./model";
import { asArray, asObject, asText, asTexts, BadAnswer, optional } from "./wireFields";

/**
 * Reads `unsafe/remove-failed-stores/show`: a list of what happened, in words (tikv/pd pkg/unsaferecovery/unsafe_recovery_controller.go).
 * Versions differ in capital letters, and 6.1 names the stores in the first sentence. A text that PD does not write is an error: it says
 * neither that a recovery runs nor that it has ended.
 */
export function parseUnsafeRecovery(body: string): PdUnsafeRecovery {
    const stages = asArray(decodeWire(body), "stages").map((element, index) => {
        const stage = asObject(element, `stages[${index}]`);
        return {
            info: optional(stage.info, `stages[${index}].info`, asText) ?? "",
            details: optional(stage.details, `stages[${index}].details`, asTexts) ?? [],
        };
    });
    const last = stages.at(-1);
    const stage = endings.find(([, says]) => says.test(last?.info ?? ""))?.[0];
    if (last === undefined || stage === undefined) {
        throw new BadAnswer("the last stage", last?.info, "a stage of an unsafe recovery");
    }
    const texts = stages.flatMap(({ info, details }) => [info, ...details]);
    const named = texts.map((text) => /(?:^|: )failed stores (\d+(?:, \d+)*)$/i.exec(text)?.[1]).find(Boolean);
    return {
        stage,
        ...(named === undefined ? {} : { failedStores: ascending(named.split(", ").map(Number)) }),
        report: [...new Set([...(stage === "running" ? stages.slice(-2, -1) : []), last])]
            .map(({ info, details }) => [info, ...details].filter((text) => !/ plan: $|PD: $/.test(text)).join("; "))
            .join("; "),
    };
}

const endings = [
    ["none", /^no on-going recovery/i],
    ["finished", /^unsafe recovery finished/i],
    ["failed", /^unsafe recovery failed/i],
    ["running", /^(unsafe recovery enters|collecting reports|collected reports)/i],
] as const;

function ascending(ids: readonly number[]): number[] {
    return [...ids].sort((one, other) => one - other);
}
