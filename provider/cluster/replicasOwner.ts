import type { V1ManagedFieldsEntry, V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { gateFieldManager } from "../../topology/annotations";

/**
 * Which field manager a StatefulSet's number of replicas belongs to. Kubernetes gives a field to the manager that changes it, also by the
 * subresource `scale`, so after a failover by the controller it belongs to the gates. A `pulumi up` that applies another number then ends in
 * a conflict. That is wanted of one that does not know of the replacement yet: it would take the new pod away. The gate of one that knows
 * gives it back.
 */

type Fields = Record<string, Record<string, unknown> | undefined>;

/** @returns whether the number of replicas is a field of the gates' own field manager. */
export function gatesOwnReplicas({ metadata }: Pick<V1StatefulSet, "metadata">): boolean {
    return (metadata?.managedFields ?? []).some(isGatesReplicas);
}

/**
 * @returns who else than Pulumi and the gates has set the number of replicas: `kubectl`, or the `kube-controller-manager` of an autoscaler.
 * Where Pulumi has applied the same number, both own it, and a later `pulumi up` that applies another one ends in a conflict.
 */
export function scaledBy({ metadata }: Pick<V1StatefulSet, "metadata">): string | undefined {
    const managed = metadata?.managedFields ?? [];
    const isOwned = managed.some((entry) => ownsSpecField(entry, "f:replicas"));
    // Kubernetes notes no owner where `kubectl scale` changes a field that has none.
    const unnamed =
        !isOwned && templateOwner(managed) !== undefined ? "somebody whom Kubernetes does not name" : undefined;
    return managed.find(isOthersReplicas)?.manager ?? unnamed;
}

/** The provider creates an object by an Update, and applies it from the first change on. */
function templateOwner(managed: readonly V1ManagedFieldsEntry[]): V1ManagedFieldsEntry | undefined {
    const owners = managed.filter(isTemplateOwner);
    return owners.find(({ operation }) => operation === "Apply") ?? owners[0];
}

/** Pulumi's own entry. A `StatefulSetPatch` of another stack has an entry of Pulumi too, but without the template. */
function isTemplateOwner(entry: V1ManagedFieldsEntry): boolean {
    return isPulumis(entry) && entry.manager !== gateFieldManager && ownsSpecField(entry, "f:template");
}

/** @returns the managed fields in which the number of replicas belongs to Pulumi alone, if it has created or applied the pod template. */
export function withReplicasGivenBack(managed: readonly V1ManagedFieldsEntry[]): V1ManagedFieldsEntry[] {
    const owner = templateOwner(managed);
    return managed.flatMap((entry) => {
        if (isGatesReplicas(entry) || isOthersReplicas(entry)) {
            return withoutReplicas(entry);
        }
        const spec = { ...specOf(entry), "f:replicas": {} };
        return [entry === owner ? { ...entry, fieldsV1: { ...fieldsOf(entry), "f:spec": spec } } : entry];
    });
}

function isOthersReplicas(entry: V1ManagedFieldsEntry): boolean {
    return ownsSpecField(entry, "f:replicas") && entry.manager !== gateFieldManager && !isTemplateOwner(entry);
}

function isGatesReplicas(entry: V1ManagedFieldsEntry): boolean {
    return entry.manager === gateFieldManager && ownsSpecField(entry, "f:replicas");
}

/** An entry without any field would be invalid. */
function withoutReplicas(entry: V1ManagedFieldsEntry): V1ManagedFieldsEntry[] {
    const spec = Object.entries(specOf(entry)).filter(([field]) => field !== "f:replicas");
    const others = Object.entries(fieldsOf(entry)).filter(([field]) => field !== "f:spec");
    const fields = [...others, ...(spec.length === 0 ? [] : [["f:spec", Object.fromEntries(spec)] as const])];
    return fields.length === 0 ? [] : [{ ...entry, fieldsV1: Object.fromEntries(fields) }];
}

/** @returns whether these are fields of the Kubernetes provider, or of the gates. */
export function isPulumis({ manager }: V1ManagedFieldsEntry): boolean {
    return manager?.includes("pulumi") ?? false;
}

/** @returns whether a manager owns a field of the spec, or a part of it. */
export function ownsSpecField(entry: V1ManagedFieldsEntry, field: string): boolean {
    return specOf(entry)[field] !== undefined;
}

function specOf(entry: V1ManagedFieldsEntry): Record<string, unknown> {
    return fieldsOf(entry)["f:spec"] ?? {};
}

function fieldsOf({ fieldsV1 }: V1ManagedFieldsEntry): Fields {
    return (fieldsV1 ?? {}) as Fields;
}
