/**
 * Names of resources as Pulumi builds them: `urn:pulumi:<stack>::<project>::<types of the parents>$<type>::<name>`.
 * The stack's own type is not among the types of the parents.
 */
export const STACK_TYPE = "pulumi:pulumi:Stack";
export const PROVIDER_TYPE_PREFIX = "pulumi:providers:";

export function makeUrn(
    stack: string,
    project: string,
    parent: string | undefined,
    type: string,
    name: string,
): string {
    const parentType = parent === undefined ? "" : qualifiedTypeOf(parent);
    const types = parentType === "" || parentType === STACK_TYPE ? type : `${parentType}$${type}`;
    return `urn:pulumi:${stack}::${project}::${types}::${name}`;
}

function qualifiedTypeOf(urn: string): string {
    return urn.split("::")[2] ?? "";
}

export function typeOf(urn: string): string {
    return qualifiedTypeOf(urn).split("$").pop() ?? "";
}

export function nameOf(urn: string): string {
    return urn.split("::").slice(3).join("::");
}

export function isProviderType(type: string): boolean {
    return type.startsWith(PROVIDER_TYPE_PREFIX);
}

/** A resource says which provider manages it as `<urn of the provider>::<its id>`. */
export function parseProviderReference(reference: string): { urn: string; id: string } {
    const separator = reference.lastIndexOf("::");
    return { urn: reference.slice(0, separator), id: reference.slice(separator + 2) };
}
