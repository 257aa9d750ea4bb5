import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { definitions, generateReference, referenceFolder } from "../../../scripts/docs";
import { fieldsOf } from "../../../scripts/reference/pages";

/** The fields of the spec, as the reference describes them. */
const fields = fieldsOf(definitions());

describe("the reference of the spec", () => {
    it("is what `npm run docs` makes from the current sources", async () => {
        const pages = await generateReference();
        assert.deepEqual(readdirSync(referenceFolder).sort(), Object.keys(pages).sort());
        for (const [file, text] of Object.entries(pages)) {
            assert.equal(readFileSync(join(referenceFolder, file), "utf8"), text, `${file}: run npm run docs`);
        }
    }).timeout(120_000);

    it("describes every field and its default", () => {
        assert.ok(fields.length > 300);
        const undocumented = fields.filter(({ meaning, fallback }) => meaning === "" || fallback === "");
        assert.deepEqual(
            undocumented.map(({ type, field }) => `${type}.${field}`),
            [],
        );
    });

    it("has an example of every field, and the schema accepts it", () => {
        const schema = { definitions: definitions() };
        // Definitions whose names have brackets are not valid URI fragments; this test checks the examples, not the names.
        const ajv = new Ajv({ strict: false, allErrors: true });
        ajv.addSchema(schema, "spec");
        for (const { type, field, example } of fields) {
            const validate = ajv.getSchema(`spec#/definitions/${encodeURIComponent(type)}/properties/${field}`);
            assert.ok(validate, `${type}.${field}`);
            assert.ok(
                example !== undefined && validate(example),
                `${type}.${field}: ${JSON.stringify(example)}: ${ajv.errorsText(validate.errors)}`,
            );
        }
    });
});
