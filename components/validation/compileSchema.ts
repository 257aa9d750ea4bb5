import Ajv, { type CodeKeywordDefinition, type ValidateFunction } from "ajv";
import { callRef } from "ajv/dist/vocabularies/core/ref";

/** @returns the function that validates against the schema. `npm run schema` generates schemas from the types in the `spec.ts` files. */
export function compileSchema(schema: object): ValidateFunction {
    const ajv = new Ajv({
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
    });
    ajv.removeKeyword("$ref").addKeyword(compiledWhenUsed(ajv)).addSchema(schema, root);
    return compiled(ajv, "");
}

/** The key under which the schema is added, to which references are relative. */
const root = "manifest";

function compiled(ajv: Ajv, reference: string): ValidateFunction {
    const validate = ajv.getSchema(`${root}${reference}`);
    if (validate === undefined) {
        throw new Error(`the schema has no ${reference}`);
    }
    return validate;
}

/**
 * A `$ref` that compiles its definition when a value is validated against it for the first time. A manifest uses a small part
 * of Kubernetes' types, and compiling all of them takes longer than everything else that a program does in this package.
 */
function compiledWhenUsed(ajv: Ajv): CodeKeywordDefinition {
    return {
        keyword: "$ref",
        schemaType: "string",
        code(context) {
            let definition: ValidateFunction | undefined;
            const validate = (...given: Parameters<ValidateFunction>) => {
                definition ??= compiled(ajv, String(context.schema));
                const isValid = definition(...given);
                Object.assign(validate, { errors: definition.errors });
                return isValid;
            };
            callRef(context, context.gen.scopeValue("validate", { ref: validate }));
        },
    };
}
