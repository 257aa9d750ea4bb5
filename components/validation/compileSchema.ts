import Ajv, { type CodeKeywordDefinition, type ValidateFunction } from "ajv";
import { callRef } from "ajv/dist/vocabularies/core/ref";
import kubernetes from "../kubernetes/kubernetes.schema.json";

interface Schema {
    readonly $ref?: string;
    readonly properties?: object;
    readonly definitions?: object;
}

/**
 * A definition that names a type with the keyword `kubernetes` is checked by the schema of that type, too.
 *
 * @returns the function that validates against the schema. `npm run schema` generates schemas from the types in the `spec.ts` files.
 */
export function compileSchema(schema: Schema): ValidateFunction {
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
    ajv.removeKeyword("$ref")
        .addKeyword(compiledWhenUsed(ajv, "$ref", (reference) => reference))
        .addKeyword(compiledWhenUsed(ajv, "kubernetes", (type) => `#/definitions/${type}`))
        .addSchema({ ...schema, definitions: { ...schema.definitions, ...kubernetes.definitions } }, root);
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
 * A reference that compiles its definition when a value is validated against it for the first time. A manifest uses a small part
 * of Kubernetes' types, and compiling all of them takes longer than everything else that a program does in this package.
 */
function compiledWhenUsed(ajv: Ajv, keyword: string, referenceOf: (value: string) => string): CodeKeywordDefinition {
    return {
        keyword,
        schemaType: "string",
        code(context) {
            let definition: ValidateFunction | undefined;
            const validate = (...given: Parameters<ValidateFunction>) => {
                definition ??= compiled(ajv, referenceOf(String(context.schema)));
                const isValid = definition(...given);
                Object.assign(validate, { errors: definition.errors });
                return isValid;
            };
            callRef(context, context.gen.scopeValue("validate", { ref: validate }));
        },
    };
}
