import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { createGenerator } from "ts-json-schema-generator";

const root = join(__dirname, "..");

/** The file of a manifest's JSON schema. */
export const schemaFile = join(root, "components", "spec.schema.json");

/** Generates the JSON schema of a manifest from the types in `components` and their comments. */
export async function generateSchema(): Promise<string> {
    const schema = createGenerator({
        path: join(root, "components", "spec.ts"),
        tsconfig: join(root, "tsconfig.json"),
        type: "TidbClusterManifest",
        jsDoc: "extended",
        expose: "all",
        skipTypeCheck: true,
    }).createSchema("TidbClusterManifest");
    const text = JSON.stringify(schema, withoutUndefined);
    return format(text, { ...(await resolveConfig(schemaFile)), filepath: schemaFile });
}

/** Replaces `T | undefined` of an index signature by `T`: an undefined field is a missing field. */
function withoutUndefined(_key: string, value: unknown): unknown {
    const choices = isObject(value) && Array.isArray(value.anyOf) ? value.anyOf : [];
    const real = choices.filter((choice) => JSON.stringify(choice) !== '{"not":{}}');
    return real.length === 1 && choices.length === 2 ? real[0] : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null;
}

if (require.main === module) {
    void generateSchema().then((schema) => {
        if (process.argv.includes("--check")) {
            process.exitCode = schema === readFileSync(schemaFile, "utf8") ? 0 : 1;
        } else {
            writeFileSync(schemaFile, schema);
        }
    });
}
