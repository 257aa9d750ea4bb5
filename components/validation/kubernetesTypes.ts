import type { ValidateFunction } from "ajv";
import type { SpecProblem } from "../problem";
import { schemaProblems } from "./schema";

/** Kubernetes' types of the fields that several arguments have. */
export const kubernetesTypes = {
    imagePullSecrets: { type: "array", items: { kubernetes: "V1LocalObjectReference" } },
    nodeSelector: { type: "object", additionalProperties: { type: "string" } },
    podSecurityContext: { kubernetes: "V1PodSecurityContext" },
    priorityClassName: { type: "string" },
    resources: { kubernetes: "V1ResourceRequirements" },
    tolerations: { type: "array", items: { kubernetes: "V1Toleration" } },
} as const;

/**
 * Checks the types of a map's fields, for arguments that have no schema. Values that are not known yet are left out.
 *
 * @param properties The JSON schema of each field.
 */
export function fieldTypes(properties: object): (map: object) => SpecProblem[] {
    let validate: ValidateFunction | undefined;
    return (map) => {
        // Loaded lazily: the schema library takes longer to load than the rest.
        // eslint-disable-next-line @typescript-eslint/no-require-imports
        const { compileSchema } = require("./compileSchema") as typeof import("./compileSchema");
        validate ??= compileSchema({ properties });
        validate(map);
        return schemaProblems(
            validate.errors?.filter(({ data }) => !isLater(data)),
            map,
        );
    };
}

/** Whether a value is an Output or a promise, or an outline's placeholder for one. */
export function isLater(value: unknown): boolean {
    return typeof value === "object" && value !== null && ("__pulumiOutput" in value || value instanceof Promise);
}
