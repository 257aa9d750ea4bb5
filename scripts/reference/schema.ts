/** The parts of a JSON schema that the reference uses. */
export interface Schema {
    readonly type?: string | readonly string[];
    readonly $ref?: string;
    readonly description?: string;
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
    readonly items?: Schema;
    readonly anyOf?: readonly Schema[];
    readonly enum?: readonly unknown[];
    readonly const?: unknown;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly additionalProperties?: Schema | boolean;
}

export type Definitions = Readonly<Record<string, Schema>>;

/** Returns the name of the definition that a schema refers to, if any. */
export function referredName({ $ref }: Schema): string | undefined {
    return $ref === undefined ? undefined : decodeURIComponent($ref.slice($ref.lastIndexOf("/") + 1));
}

/** Returns the names of the definitions that a schema and its parts refer to. */
export function referredNames(schema: Schema): string[] {
    const own = referredName(schema);
    const { items, anyOf = [], properties = {}, additionalProperties } = schema;
    const parts = [
        ...(items === undefined ? [] : [items]),
        ...anyOf,
        ...Object.values(properties),
        ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
    ];
    return [...(own === undefined ? [] : [own]), ...parts.flatMap(referredNames)];
}

/** Whether a definition has fields, and so a section in the reference. */
export function hasFields(definition: Schema): boolean {
    return Object.keys(definition.properties ?? {}).length > 0;
}
