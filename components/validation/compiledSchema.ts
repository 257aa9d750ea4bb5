import Ajv, { type ValidateFunction } from "ajv";
import schema from "../spec.schema.json";

/** The compiled schema of a manifest. `npm run schema` generates the schema from the types in the `spec.ts` files. */
export const validate: ValidateFunction = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    allowUnionTypes: true,
    // Every program compiles the schema once. These options make that four times as fast.
    code: { optimize: false },
    inlineRefs: false,
    messages: false,
    meta: false,
    validateSchema: false,
}).compile(schema);
