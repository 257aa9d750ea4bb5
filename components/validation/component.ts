import type { ComponentSpec, ResourceSpec, ScalePolicy } from "../componentSpec";
import { specError, type SpecProblem, specWarning } from "../problem";
import { containerProblems, environmentProblems } from "./environment";
import { annotationProblems, labelProblems } from "./metadata";
import { shown } from "./path";
import { resourceProblems } from "./resources";

const tag = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** Labels by which the objects of a member are found. A user's labels of these keys have no effect. */
const ownLabels = ["component", "instance", "managed-by", "name"].map((name) => `app.kubernetes.io/${name}`);

/** Checks what every member, and discovery, may say. */
export function componentProblems(field: string, spec: ComponentSpec & ResourceSpec): SpecProblem[] {
    return [
        ...environmentProblems(`${field}.env`, spec.env),
        ...containerProblems(`${field}.additionalContainers`, spec.additionalContainers),
        ...resourceProblems(field, spec),
        ...podMetadataProblems(field, spec),
        ...versionProblems(`${field}.version`, spec.version),
        ...(spec.suspendAction?.suspendStatefulSet === true ? [suspendProblem(field)] : []),
        ...updateStrategyProblems(field, spec.statefulSetUpdateStrategy),
    ];
}

/** Checks labels, annotations and node selector of pods. */
export function podMetadataProblems(
    field: string,
    spec: Pick<ComponentSpec, "labels" | "annotations" | "nodeSelector">,
): SpecProblem[] {
    return [
        ...labelProblems(`${field}.labels`, spec.labels),
        ...annotationProblems(`${field}.annotations`, spec.annotations),
        ...labelProblems(`${field}.nodeSelector`, spec.nodeSelector),
        ...ownLabels
            .filter((key) => spec.labels?.[key] !== undefined)
            .map((key) =>
                specWarning(
                    `${field}.labels.${key}`,
                    shown(spec.labels?.[key]),
                    "another key",
                    "pods are found by this label, so its value is not the user's to set, and it is ignored",
                ),
            ),
    ];
}

/** Checks a version, which is the tag of an image. */
export function versionProblems(field: string, version: string | undefined): SpecProblem[] {
    return version === undefined || version === "" || tag.test(version)
        ? []
        : [specError(field, shown(version), "the tag of an image, such as v8.5.3")];
}

/** Checks how many replicas one step may add or remove. */
export function scalePolicyProblems(memberField: string, policy: ScalePolicy | undefined): SpecProblem[] {
    const field = `${memberField}.scalePolicy`;
    return (["scaleInParallelism", "scaleOutParallelism"] as const)
        .filter((name) => policy?.[name] === 0)
        .map((name) => {
            const operatorName = name.charAt(0).toUpperCase() + name.slice(1);
            return specError(`${field}.${name}`, "0", "a number above 0", undefined, `${field}.${operatorName}`);
        });
}

/** Says that suspending is not supported. */
export function suspendProblem(field: string): SpecProblem {
    return specError(
        `${field}.suspendAction.suspendStatefulSet`,
        "true",
        "false",
        "suspending is not supported by this version: set replicas of TiDB to 0 to stop serving",
    );
}

/** Warns where Kubernetes is asked to restart pods. */
export function updateStrategyProblems(field: string, strategy: string | undefined): SpecProblem[] {
    return strategy === "RollingUpdate"
        ? [
              specWarning(
                  `${field}.statefulSetUpdateStrategy`,
                  "RollingUpdate",
                  "OnDelete, which is always used",
                  "the gates restart pods, each when it is safe",
              ),
          ]
        : [];
}
