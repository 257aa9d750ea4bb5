/** The type of the stack itself, the resource above all others. */
export const stackType = "pulumi:pulumi:Stack";
/** What the types of explicit providers begin with; the package's name follows. */
export const providerTypePrefix = "pulumi:providers:";

/**
 * The name of a resource as Pulumi builds it: `urn:pulumi:<stack>::<project>::<types of the parents>$<type>::<name>`.
 * The stack's own type is not among the types of the parents. `parent` is a URN.
 */
export function makeUrn(
    stack: string,
    project: string,
    parent: string | undefined,
    type: string,
    name: string,
): string {
    const parentType = parent === undefined ? "" : qualifiedTypeOf(parent);
    const types = parentType === "" || parentType === stackType ? type : `${parentType}$${type}`;
    return `urn:pulumi:${stack}::${project}::${types}::${name}`;
}

function qualifiedTypeOf(urn: string): string {
    return urn.split("::")[2] ?? "";
}

/** The type of the resource that a URN names, without those of its parents. */
export function typeOf(urn: string): string {
    return qualifiedTypeOf(urn).split("$").pop() ?? "";
}

/** The name that the program gave the resource of a URN. */
export function nameOf(urn: string): string {
    return urn.split("::").slice(3).join("::");
}

/** Whether a resource of this type is an explicit provider. */
export function isProviderType(type: string): boolean {
    return type.startsWith(providerTypePrefix);
}

/** A resource says which provider manages it as `<urn of the provider>::<its id>`. */
export function parseProviderReference(reference: string): { urn: string; id: string } {
    const separator = reference.lastIndexOf("::");
    return { urn: reference.slice(0, separator), id: reference.slice(separator + 2) };
}
