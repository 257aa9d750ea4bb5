import type { Plugin } from "esbuild";
import { readFile } from "node:fs/promises";

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

/** Puts schemas into a bundle, without descriptions, each as a text, which is expanded when it is first needed. */
export const holdsSchemasAsTexts: Plugin = {
    name: "holds-schemas-as-texts",
    setup: ({ onLoad }) =>
        onLoad({ filter: /\.schema\.json$/ }, async ({ path }) => {
            const schema = withoutDescriptions(JSON.parse(await readFile(path, "utf8")));
            return { contents: `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(schema))});` };
        }),
};
