import type { Container, EnvironmentVariable, KeyReference } from "../kubernetes/pod";
import { specError, type SpecProblem } from "../problem";
import { isDataKey, isDnsSubdomain, isVariableName } from "./kubernetesNames";
import { shown } from "./path";

/** Checks environment variables by tidb-operator's rules, which leave out references to fields of the pod. */
export function environmentProblems(field: string, variables: EnvironmentVariable[] | undefined): SpecProblem[] {
    return (variables ?? []).flatMap((variable, index) => {
        const at = `${field}[${index}]`;
        return [...variableNameProblems(`${at}.name`, variable.name), ...sourceProblems(`${at}.valueFrom`, variable)];
    });
}

function variableNameProblems(field: string, name: string | undefined): SpecProblem[] {
    if (name === undefined || name === "") {
        return [specError(field, "nothing", "the name of the variable")];
    }
    const expected = "letters, digits, dashes, dots and underscores, and no digit first";
    return isVariableName(name) ? [] : [specError(field, shown(name), expected)];
}

function sourceProblems(field: string, { value, valueFrom }: EnvironmentVariable): SpecProblem[] {
    if (valueFrom === undefined) {
        return [];
    }
    const references = "configMapKeyRef or secretKeyRef";
    const sources = Object.keys(valueFrom);
    const problems = [
        ...(["fieldRef", "resourceFieldRef"] as const)
            .filter((kind) => valueFrom[kind] !== undefined)
            .map((kind) =>
                specError(`${field}.${kind}`, "a reference to the pod", references, "tidb-operator refuses it as well"),
            ),
        ...(["configMapKeyRef", "secretKeyRef"] as const).flatMap((kind) =>
            keyProblems(`${field}.${kind}`, valueFrom[kind]),
        ),
    ];
    if (sources.length === 0) {
        return [specError(field, "no source", references)];
    }
    if (value !== undefined && value !== "") {
        return [...problems, specError(field, "both value and valueFrom", "one of them")];
    }
    return sources.length > 1 ? [...problems, specError(field, sources.join(" and "), "one source")] : problems;
}

function keyProblems(field: string, reference: KeyReference | undefined): SpecProblem[] {
    if (reference === undefined) {
        return [];
    }
    const { name = "", key = "" } = reference;
    return [
        ...(isDnsSubdomain(name) ? [] : [specError(`${field}.name`, shown(name), "the name of an object")]),
        ...(isDataKey(key)
            ? []
            : [specError(`${field}.key`, shown(key), "a key: letters, digits, dashes, dots, underscores")]),
    ];
}

/** Checks additional containers: each needs an image, also one that is merged into a rendered container. */
export function containerProblems(field: string, containers: Container[] | undefined): SpecProblem[] {
    return (containers ?? [])
        .map((container, index) => ({ image: container.image, index }))
        .filter(({ image }) => image === undefined || image === "")
        .map(({ index }) =>
            specError(
                `${field}[${index}].image`,
                "nothing",
                "an image",
                "tidb-operator asks for one as well, also where the container is merged into a rendered one",
            ),
        );
}
