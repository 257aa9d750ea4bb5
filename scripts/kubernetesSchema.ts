import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ofKubernetes } from "../components/validation/unknownField";

/** A field of a Kubernetes type, as the client's generated models describe it. */
interface Attribute {
    readonly name: string;
    readonly baseName: string;
    readonly type: string;
    readonly format: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** The models by name: `V1Affinity`. */
type Models = Readonly<Record<string, { getAttributeTypeMap?: () => Attribute[] } | undefined>>;

/** Fields with a quantity, which the models describe as any other text: Kubernetes takes a number, too. */
const quantities: readonly string[] = [
    "V1EmptyDirVolumeSource.sizeLimit",
    "V1ResourceFieldSelector.divisor",
    "V1ResourceRequirements.limits",
    "V1ResourceRequirements.requests",
    "V1VolumeResourceRequirements.limits",
    "V1VolumeResourceRequirements.requests",
];

/** Fields that Kubernetes no longer has, and the CRD of tidb-operator checks. */
const former: Readonly<Record<string, readonly Attribute[] | undefined>> = {
    V1VolumeResourceRequirements: [
        { name: "claims", baseName: "claims", type: "Array<CoreV1ResourceClaim>", format: "" },
    ],
};

const plain: Readonly<Record<string, Schema | undefined>> = {
    any: {},
    boolean: { type: "boolean" },
    Date: { type: "string" },
    IntOrString: { type: ["integer", "string"] },
    string: { type: "string" },
};

const integers: Readonly<Record<string, Schema | undefined>> = {
    int32: { type: "integer", minimum: -2_147_483_648, maximum: 2_147_483_647 },
    int64: { type: "integer" },
};

const folder = dirname(require.resolve("@kubernetes/client-node/dist/gen/models/all.js"));

/**
 * Generates the JSON schemas of Kubernetes types and of all that they consist of, from the OpenAPI models of Kubernetes' client. A newer
 * Kubernetes may have fields that are not known here: `components/validation/unknownField.ts` refuses only what looks misspelt.
 *
 * @param roots Names of models: `V1Affinity`.
 * @throws if the client has no such model, or a model has a type that is not known here
 */
export async function kubernetesDefinitions(roots: Iterable<string>): Promise<Record<string, Schema>> {
    const models = (await import("@kubernetes/client-node")) as unknown as Models;
    const names = new Set(roots);
    const definitions: Record<string, Schema> = {};
    // The set grows while it is read: each type adds those of its fields.
    for (const name of names) {
        definitions[name] = definitionOf(name, attributesOf(models, name), names);
    }
    return Object.fromEntries(Object.entries(definitions).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function definitionOf(name: string, attributes: readonly Attribute[], names: Set<string>): Schema {
    const properties = attributes.map((attribute) => [
        attribute.baseName,
        quantities.includes(`${name}.${attribute.baseName}`)
            ? quantity(attribute)
            : schemaOf(attribute.type, attribute, names),
    ]);
    const optional = optionalFields(name);
    const required = attributes
        .filter((one) => !optional.has(one.name) && !former[name]?.includes(one))
        .map(({ baseName }) => baseName);
    return {
        type: "object",
        properties: Object.fromEntries(properties),
        $comment: ofKubernetes,
        additionalProperties: false,
        ...(required.length > 0 ? { required } : {}),
    };
}

function attributesOf(models: Models, name: string): readonly Attribute[] {
    const model = models[name];
    if (model?.getAttributeTypeMap === undefined) {
        throw new Error(`found no model ${name} in @kubernetes/client-node`);
    }
    return [...model.getAttributeTypeMap(), ...(former[name] ?? [])];
}

/** The models say in their types alone which fields may be left out. */
function optionalFields(name: string): ReadonlySet<string> {
    const declarations = readFileSync(join(folder, `${name}.d.ts`), "utf8");
    return new Set([...declarations.matchAll(/^ {4}'(\w+)'\?: /gm)].map(([, field]) => field));
}

function schemaOf(type: string, attribute: Attribute, names: Set<string>): Schema {
    const [, item] = /^Array<(.+)>$/.exec(type) ?? [];
    const [, value] = /^\{ \[key: string\]: (.+); \}$/.exec(type) ?? [];
    if (item !== undefined) {
        return { type: "array", items: schemaOf(item, attribute, names) };
    }
    if (value !== undefined) {
        return { type: "object", additionalProperties: schemaOf(value, attribute, names) };
    }
    const known = type === "number" ? integers[attribute.format] : plain[type];
    if (known !== undefined) {
        return known;
    }
    names.add(type);
    return { $ref: `#/definitions/${type}` };
}

function quantity({ type }: Attribute): Schema {
    const one = { type: ["number", "string"] };
    return type === "string" ? one : { type: "object", additionalProperties: one };
}
