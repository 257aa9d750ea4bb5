import type { V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { TemplateWriter } from "../lifecycle/vocabulary/observation";
import { ownsSpecField } from "./replicasOwner";

/**
 * @returns who besides Pulumi wrote fields of the pod template that are still as they wrote them. A refresh does not see such fields if
 * the program does not have them, such as a variable by `kubectl set env`.
 */
export function otherTemplateWriters({ metadata }: Pick<V1StatefulSet, "metadata">): TemplateWriter[] {
    return (metadata?.managedFields ?? [])
        .filter((entry) => ownsSpecField(entry, "f:template") && !entry.manager?.includes("pulumi"))
        .map(({ manager = "somebody", time }) => ({ manager, ...(time ? { at: new Date(time).getTime() } : {}) }));
}
