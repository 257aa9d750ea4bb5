import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { createGenerator } from "ts-json-schema-generator";
import { kubernetesDefinitions } from "./kubernetesSchema";

const root = join(__dirname, "..");

/** The file of a manifest's JSON schema. */
export const schemaFile = join(root, "components", "spec.schema.json");

/** The file of the JSON schema of Backups, Restores, CompactBackups and BackupSchedules. */
export const brSchemaFile = join(root, "components", "br", "br.schema.json");

/** The file of the JSON schemas of the Kubernetes types that specs have. */
export const kubernetesSchemaFile = join(root, "components", "kubernetes", "kubernetes.schema.json");

/** Kubernetes types of what is checked without a schema: LocalVolumes and TidbInitializers. */
const withoutSchema = ["V1LocalObjectReference", "V1PodSecurityContext", "V1ResourceRequirements", "V1Toleration"];

/** Generates the JSON schema of a manifest from the types in `components` and their comments. */
export function generateSchema(): Promise<string> {
    return schemaOf(join(root, "components", "spec.ts"), "TidbClusterManifest", schemaFile);
}

/** Generates the JSON schema of Backups, Restores, CompactBackups and BackupSchedules. */
export function generateBrSchema(): Promise<string> {
    return schemaOf(join(root, "components", "br", "schedule", "spec.ts"), "BrObject", brSchemaFile);
}

/** Generates the JSON schemas of the Kubernetes types that the types of the specs name with the tag `@kubernetes`. */
export async function generateKubernetesSchema(): Promise<string> {
    const schemas = await Promise.all([generateSchema(), generateBrSchema()]);
    const tagged = schemas.flatMap((schema) => [...schema.matchAll(/"kubernetes": "(\w+)"/g)].map(([, name]) => name));
    return formatted({ definitions: await kubernetesDefinitions([...tagged, ...withoutSchema]) }, kubernetesSchemaFile);
}

async function schemaOf(path: string, type: string, file: string): Promise<string> {
    const schema = createGenerator({
        path,
        tsconfig: join(root, "tsconfig.json"),
        type,
        jsDoc: "extended",
        expose: "all",
        extraTags: ["kubernetes"],
        skipTypeCheck: true,
    }).createSchema(type);
    return formatted(schema, file);
}

async function formatted(schema: object, file: string): Promise<string> {
    const text = JSON.stringify(schema, withoutUndefined);
    return format(text, { ...(await resolveConfig(file)), filepath: file });
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
    const files = {
        [schemaFile]: generateSchema,
        [brSchemaFile]: generateBrSchema,
        [kubernetesSchemaFile]: generateKubernetesSchema,
    };
    for (const [file, generate] of Object.entries(files)) {
        void generate().then((schema) => {
            if (!process.argv.includes("--check")) {
                writeFileSync(file, schema);
            } else if (schema !== readFileSync(file, "utf8")) {
                process.exitCode = 1;
            }
        });
    }
}
