import type { V1ManagedFieldsEntry, V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { TemplateWriter } from "../lifecycle/vocabulary/observation";
import { isPulumis, ownsSpecField } from "./replicasOwner";

/** Fields as `managedFields` has them: their names, and what is in them. */
interface Fields {
    [name: string]: Fields;
}

/**
 * @returns who besides Pulumi wrote fields of the pod template that are still as they wrote them. A refresh does not see such fields if
 * the program does not have them, such as a variable by `kubectl set env`.
 */
export function otherTemplateWriters({ metadata }: Pick<V1StatefulSet, "metadata">): TemplateWriter[] {
    const writers = (metadata?.managedFields ?? []).filter((entry) => ownsSpecField(entry, "f:template"));
    const staying = writers.filter((entry) => !isTakenOver(entry)).map(templateOf);
    return writers
        .filter((entry) => !isPulumis(entry))
        .map((entry) => ({
            manager: entry.manager ?? "somebody",
            ...(entry.time ? { at: new Date(entry.time).getTime() } : {}),
            ...(isTakenOver(entry) && exceeds(templateOf(entry), staying) ? { isTakenOut: true } : {}),
        }));
}

/**
 * When the Kubernetes provider applies an object, it first takes over all fields of kubectl, and those from before anything was applied
 * (pulumi-kubernetes, await.go fixCSAFieldManagers): fields that the program does not have are removed, and the others get the program's
 * value. Fields of other managers stay.
 */
function isTakenOver({ manager = "", subresource }: V1ManagedFieldsEntry): boolean {
    return /^(kubectl|before-first-apply)/.test(manager) && !subresource;
}

function templateOf({ fieldsV1 }: V1ManagedFieldsEntry): Fields {
    return (fieldsV1 as { "f:spec": { "f:template": Fields } })["f:spec"]["f:template"];
}

/** @returns whether some of these fields are in none of the others. A dot stands for the parent, which does not identify its value. */
function exceeds(fields: Fields, others: readonly Fields[]): boolean {
    return Object.entries(fields).some(([key, inner]) => {
        const theirs = others.filter((one) => key in one).map((one) => one[key]);
        return theirs.length === 0 ? key !== "." : exceeds(inner, theirs);
    });
}
