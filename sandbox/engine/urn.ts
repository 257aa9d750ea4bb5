/** The type of the stack itself, the root of all resources. */
export const stackType = "pulumi:pulumi:Stack";
/** The prefix of the types of explicit providers, followed by the package's name. */
export const providerTypePrefix = "pulumi:providers:";

/**
 * Builds a URN as Pulumi does: `urn:pulumi:<stack>::<project>::<types of the parents>$<type>::<name>`. The stack's own
 * type is not one of the types of the parents. `parent` is a URN.
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

/** The type of the resource that a URN names, without the types of its parents. */
export function typeOf(urn: string): string {
    return qualifiedTypeOf(urn).split("$").pop() ?? "";
}

/** The name that the program gave to the resource of a URN. */
export function nameOf(urn: string): string {
    return urn.split("::").slice(3).join("::");
}

/** Whether resources of this type are explicit providers. */
export function isProviderType(type: string): boolean {
    return type.startsWith(providerTypePrefix);
}

/** Splits the reference to a resource's provider, `<urn of the provider>::<its id>`. */
export function parseProviderReference(reference: string): { urn: string; id: string } {
    const separator = reference.lastIndexOf("::");
    return { urn: reference.slice(0, separator), id: reference.slice(separator + 2) };
}
