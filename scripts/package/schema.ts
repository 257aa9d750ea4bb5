/** Returns a schema without the descriptions of its fields. Checking a manifest needs none, and the reference has them. */
export function withoutDescriptions(schema: unknown): unknown {
    if (Array.isArray(schema)) {
        return schema.map(withoutDescriptions);
    }
    if (typeof schema !== "object" || schema === null) {
        return schema;
    }
    // A property of the spec may be called description; its value is a schema, not a text.
    const kept = Object.entries(schema).filter(([key, value]) => key !== "description" || typeof value !== "string");
    return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)]));
}
