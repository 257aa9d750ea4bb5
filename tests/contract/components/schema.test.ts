import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { generateSchema, schemaFile } from "../../../scripts/schema";

interface Definition {
    description?: string;
    properties?: Record<string, { description?: string }>;
}

describe("the schema of a manifest", () => {
    it("matches the types; otherwise run `npm run schema`", async function () {
        this.timeout(60_000);
        assert.equal(readFileSync(schemaFile, "utf8"), await generateSchema());
    });

    it("describes every field", () => {
        const { definitions } = JSON.parse(readFileSync(schemaFile, "utf8")) as {
            definitions: Record<string, Definition>;
        };
        const silent = Object.entries(definitions).flatMap(([type, { properties = {} }]) =>
            Object.entries(properties)
                .filter(([, { description }]) => !description)
                .map(([field]) => `${type}.${field}`),
        );
        assert.deepEqual(silent, []);
    });
});
