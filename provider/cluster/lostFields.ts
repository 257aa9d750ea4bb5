import type { V1ManagedFieldsEntry } from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** Fields as `managedFields` has them: their names, and what is in them. */
interface Fields {
    [name: string]: Fields;
}

/**
 * Where a field is, as `managedFields` has it: `["f:metadata", "f:labels", "f:app"]`. A dot at the end stands for the parent itself, whose
 * fields others may own.
 */
export type FieldPath = readonly string[];

/** Fields of one entry that are lost. */
export interface LostFields {
    readonly entry: V1ManagedFieldsEntry;
    readonly fields: readonly FieldPath[];
}

/** @returns whether these are fields of the Kubernetes provider, or of the gates. */
export function isPulumis({ manager }: V1ManagedFieldsEntry): boolean {
    return manager?.includes("pulumi") ?? false;
}

/**
 * When the Kubernetes provider applies an object, it first takes over all fields of kubectl, and those from before anything was applied
 * (pulumi-kubernetes, await.go fixCSAFieldManagers): what the program does not have goes, and what it has gets the program's value.
 * Fields of others stay.
 */
export function isTakenOver({ manager = "", subresource }: V1ManagedFieldsEntry): boolean {
    return /^(kubectl|before-first-apply)/.test(manager) && !subresource;
}

/**
 * @param goes whether the fields of this entry go, unless they are also another's.
 * @returns the fields that nobody has whose fields stay, except kubectl's own record, which only kubectl reads. A dot says nothing of the
 * parent's value, so it counts only where the entry has nothing else of the parent.
 */
export function lostFields(
    managed: readonly V1ManagedFieldsEntry[],
    goes: (entry: V1ManagedFieldsEntry) => boolean,
): LostFields[] {
    const staying = managed.filter((entry) => !goes(entry)).map(fieldsOf);
    return managed
        .filter(goes)
        .map((entry) => ({ entry, fields: exceeding(fieldsOf(entry), staying).filter((path) => !isRecord(path)) }))
        .filter(({ fields }) => fields.length > 0);
}

const lastApplied = ["f:metadata", "f:annotations", "f:kubectl.kubernetes.io/last-applied-configuration"];

function isRecord(path: FieldPath): boolean {
    return path.length === lastApplied.length && path.every((segment, index) => segment === lastApplied[index]);
}

function fieldsOf({ fieldsV1 }: V1ManagedFieldsEntry): Fields {
    return (fieldsV1 ?? {}) as Fields;
}

/** @returns the paths of these fields that are none of the others', down to the innermost. */
function exceeding(fields: Fields, others: readonly Fields[]): FieldPath[] {
    return Object.entries(fields).flatMap(([key, inner]) => {
        if (key === ".") {
            return [];
        }
        const theirs = others.filter((one) => key in one).map((one) => one[key]);
        const isInnermost = Object.keys(inner).every((one) => one === ".");
        const itself = "." in inner ? ["."] : [];
        const below = isInnermost && theirs.length === 0 ? [itself] : exceeding(inner, theirs);
        return below.map((path) => [key, ...path]);
    });
}
