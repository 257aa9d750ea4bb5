import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
    brSchemaFile,
    generateBrSchema,
    generateKubernetesSchema,
    generateSchema,
    kubernetesSchemaFile,
    schemaFile,
} from "../../../scripts/schema";

interface Definition {
    description?: string;
    properties?: Record<string, { description?: string }>;
}

describe("the schema of a manifest", () => {
    it("matches the types; otherwise run `npm run schema`", async function () {
        this.timeout(60_000);
        assert.equal(readFileSync(schemaFile, "utf8"), await generateSchema());
    });

    it("of Backups and Restores matches the types; otherwise run `npm run schema`", async function () {
        this.timeout(60_000);
        assert.equal(readFileSync(brSchemaFile, "utf8"), await generateBrSchema());
    });

    it("of Kubernetes' types is what its client has; otherwise run `npm run schema`", async function () {
        this.timeout(120_000);
        assert.equal(readFileSync(kubernetesSchemaFile, "utf8"), await generateKubernetesSchema());
    });

    it("describes every field", () => {
        const definitionsOf = (file: string) =>
            (JSON.parse(readFileSync(file, "utf8")) as { definitions: Record<string, Definition> }).definitions;
        const silent = Object.entries({ ...definitionsOf(brSchemaFile), ...definitionsOf(schemaFile) }).flatMap(
            ([type, { properties = {} }]) =>
                Object.entries(properties)
                    .filter(([, { description }]) => !description)
                    .map(([field]) => `${type}.${field}`),
        );
        assert.deepEqual(silent, []);
    });
});
