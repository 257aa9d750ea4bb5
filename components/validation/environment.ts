import type { Container, EnvironmentVariable, KeyReference } from "../kubernetes/pod";
import { specError, type SpecProblem } from "../problem";
import { isDataKey, isDnsSubdomain, isVariableName } from "./kubernetesNames";
import { shown } from "./path";

/**
 * Checks environment variables by tidb-operator's rules, which do not allow references to fields of the pod.
 *
 * @param mayReferToPod Whether such references are allowed: they are for a member that tidb-operator does not check.
 */
export function environmentProblems(
    field: string,
    variables: EnvironmentVariable[] | undefined,
    mayReferToPod = false,
): SpecProblem[] {
    return (variables ?? []).flatMap((variable, index) => {
        const at = `${field}[${index}]`;
        return [
            ...variableNameProblems(`${at}.name`, variable.name),
            ...sourceProblems(`${at}.valueFrom`, variable, mayReferToPod),
        ];
    });
}

function variableNameProblems(field: string, name: string | undefined): SpecProblem[] {
    if (name === undefined || name === "") {
        return [specError(field, "nothing", "the name of the variable")];
    }
    const expected = "letters, digits, dashes, dots and underscores, not starting with a digit";
    return isVariableName(name) ? [] : [specError(field, shown(name), expected)];
}

function sourceProblems(
    field: string,
    { value, valueFrom }: EnvironmentVariable,
    mayReferToPod: boolean,
): SpecProblem[] {
    if (valueFrom === undefined) {
        return [];
    }
    const references = "configMapKeyRef or secretKeyRef";
    const sources = Object.keys(valueFrom);
    const problems = [
        ...(["fieldRef", "resourceFieldRef"] as const)
            .filter((kind) => !mayReferToPod && valueFrom[kind] !== undefined)
            .map((kind) =>
                specError(`${field}.${kind}`, "a reference to the pod", references, "tidb-operator refuses it too"),
            ),
        ...(["configMapKeyRef", "secretKeyRef"] as const).flatMap((kind) =>
            keyProblems(`${field}.${kind}`, valueFrom[kind]),
        ),
    ];
    if (sources.length === 0) {
        return [specError(field, "no source", references)];
    }
    if (value !== undefined && value !== "") {
        return [...problems, specError(field, "both value and valueFrom", "only one of them")];
    }
    return sources.length > 1 ? [...problems, specError(field, sources.join(" and "), "only one source")] : problems;
}

function keyProblems(field: string, reference: KeyReference | undefined): SpecProblem[] {
    if (reference === undefined) {
        return [];
    }
    const { name = "", key = "" } = reference;
    return [
        ...(isDnsSubdomain(name) ? [] : [specError(`${field}.name`, shown(name), "the name of a ConfigMap or Secret")]),
        ...(isDataKey(key)
            ? []
            : [specError(`${field}.key`, shown(key), "a key of letters, digits, dashes, dots and underscores")]),
    ];
}

/**
 * Checks additional containers. Each needs an image, even if it is merged into a rendered container.
 *
 * @param unchecked The main container of a member that tidb-operator does not check. It may be merged without an image.
 */
export function containerProblems(
    field: string,
    containers: Container[] | undefined,
    unchecked?: string,
): SpecProblem[] {
    return (containers ?? [])
        .map(({ name, image }, index) => ({ name, image, index }))
        .filter(({ name, image }) => (image === undefined || image === "") && name !== unchecked)
        .map(({ index }) =>
            specError(
                `${field}[${index}].image`,
                "nothing",
                "an image",
                "tidb-operator requires one too, even if the container is merged into a rendered one",
            ),
        );
}
