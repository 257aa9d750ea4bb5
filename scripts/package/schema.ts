import type { Plugin } from "esbuild";
import { readFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";

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

/** Puts schemas into a bundle, compressed to a tenth and without descriptions. They are expanded when they are first needed. */
export const compressesSchemas: Plugin = {
    name: "compresses-schemas",
    setup: ({ onLoad }) =>
        onLoad({ filter: /\.schema\.json$/ }, async ({ path }) => {
            const schema = withoutDescriptions(JSON.parse(await readFile(path, "utf8")));
            const compressed = brotliCompressSync(JSON.stringify(schema)).toString("base64");
            const expanded = `require("node:zlib").brotliDecompressSync(Buffer.from("${compressed}", "base64"))`;
            return { contents: `module.exports = JSON.parse(${expanded}.toString());` };
        }),
};
