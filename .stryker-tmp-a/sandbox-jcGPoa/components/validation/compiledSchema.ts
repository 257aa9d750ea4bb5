import Ajv, { type ValidateFunction } from "ajv";
import schema from "../spec.schema.json";

/** The schema of a manifest, compiled. It is generated from the types in the `spec.ts` files: `npm run schema`. */
export const validate: ValidateFunction = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    allowUnionTypes: true,
    // The rest makes compiling the schema, which every program does once, four times as fast.
    code: { optimize: false },
    inlineRefs: false,
    messages: false,
    meta: false,
    validateSchema: false,
}).compile(schema);
