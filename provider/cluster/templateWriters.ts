import type { V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { TemplateWriter } from "../lifecycle/vocabulary/observation";
import { isPulumis, isTakenOver, lostFields } from "./lostFields";
import { ownsSpecField } from "./replicasOwner";

/**
 * @returns who besides Pulumi wrote fields of the pod template that are still as they wrote them. A refresh does not see such fields if
 * the program does not have them, such as a variable by `kubectl set env`.
 */
export function otherTemplateWriters({ metadata }: Pick<V1StatefulSet, "metadata">): TemplateWriter[] {
    const managed = metadata?.managedFields ?? [];
    const lost = lostFields(managed, isTakenOver)
        .filter(({ fields }) => fields.some(([top, second]) => top === "f:spec" && second === "f:template"))
        .map(({ entry }) => entry);
    return managed
        .filter((entry) => ownsSpecField(entry, "f:template") && !isPulumis(entry))
        .map((entry) => ({
            manager: entry.manager ?? "somebody",
            ...(entry.time ? { at: new Date(entry.time).getTime() } : {}),
            ...(lost.includes(entry) ? { isTakenOut: true } : {}),
        }));
}
