import Ajv, { type ValidateFunction } from "ajv";

/** @returns the function that validates against the schema. `npm run schema` generates schemas from the types in the `spec.ts` files. */
export function compileSchema(schema: object): ValidateFunction {
    return new Ajv({
        allErrors: true,
        verbose: true,
        strict: false,
        allowUnionTypes: true,
        // Every program compiles a schema once. These options make that four times as fast.
        code: { optimize: false },
        inlineRefs: false,
        messages: false,
        meta: false,
        validateSchema: false,
    }).compile(schema);
}
