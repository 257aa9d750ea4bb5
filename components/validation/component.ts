import { componentLabel, instanceLabel, managedByLabel, nameLabel } from "../../topology/labels";
import type { ComponentSpec, ResourceSpec, ScalePolicy, TopologySpreadConstraint } from "../componentSpec";
import { specError, type SpecProblem, specWarning } from "../problem";
import { containerProblems, environmentProblems } from "./environment";
import { isQualifiedName } from "./kubernetesNames";
import { annotationProblems, labelProblems } from "./metadata";
import { noEffectProblems } from "./noEffect";
import { shown } from "./path";
import { resourceProblems } from "./resources";

const tag = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** The largest number of 32 bits. */
const largestCount = 2_147_483_647;

/** Labels by which the objects of a member are found. A user's labels of these keys have no effect. */
const ownLabels = [componentLabel, instanceLabel, managedByLabel, nameLabel];

/**
 * Checks what every member, and discovery, may say.
 *
 * @param unchecked The container of a member that tidb-operator does not check: only what Kubernetes asks for holds.
 */
export function componentProblems(
    field: string,
    spec: ComponentSpec & ResourceSpec,
    unchecked?: string,
): SpecProblem[] {
    return [
        ...environmentProblems(`${field}.env`, spec.env, unchecked !== undefined),
        ...containerProblems(`${field}.additionalContainers`, spec.additionalContainers, unchecked),
        ...resourceProblems(field, spec),
        ...podMetadataProblems(field, spec),
        ...versionProblems(`${field}.version`, spec.version),
        ...updateStrategyProblems(field, spec.statefulSetUpdateStrategy),
        ...spreadProblems(field, spec.topologySpreadConstraints),
    ];
}

/** Checks how pods are spread (CRD of v1alpha1: a list with one entry a key). */
export function spreadProblems(field: string, constraints: readonly TopologySpreadConstraint[] = []): SpecProblem[] {
    return constraints.flatMap(({ topologyKey, matchLabels }, index) => {
        const at = `${field}.topologySpreadConstraints[${index}]`;
        const isRepeated = constraints.findIndex((other) => other.topologyKey === topologyKey) < index;
        const unused = Object.keys(matchLabels ?? {}).filter((key) => key !== componentLabel && key !== instanceLabel);
        return [
            ...(isQualifiedName(topologyKey ?? "")
                ? []
                : [specError(`${at}.topologyKey`, shown(topologyKey), "the key of a node's label")]),
            ...(isRepeated
                ? [
                      specError(
                          `${at}.topologyKey`,
                          `${shown(topologyKey)} once more`,
                          "a key that no other constraint has",
                      ),
                  ]
                : []),
            ...unused.map((key) =>
                specWarning(
                    `${at}.matchLabels.${key}`,
                    shown(matchLabels?.[key]),
                    `${componentLabel} or ${instanceLabel}`,
                    "only these are used, as in tidb-operator",
                ),
            ),
        ];
    });
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

/**
 * Checks how many replicas one step may add or remove.
 *
 * @param leave Whether its pods leave as many at a time as it says, or all at once, as there is nothing to wait for.
 */
export function scalePolicyProblems(
    memberField: string,
    policy: ScalePolicy | undefined,
    leave: "in turn" | "at once" = "in turn",
): SpecProblem[] {
    const field = `${memberField}.scalePolicy`;
    return [...parallelismProblems(field, policy), ...parallelismWithoutEffect(field, policy, leave)];
}

function parallelismWithoutEffect(
    field: string,
    policy: ScalePolicy | undefined,
    leave: "in turn" | "at once",
): SpecProblem[] {
    const { scaleInParallelism, scaleOutParallelism } = policy ?? {};
    return noEffectProblems(field, [
        {
            field: "scaleInParallelism",
            value: leave === "at once" && scaleInParallelism,
            why: "pods that leave stop at the same time",
        },
        { field: "scaleOutParallelism", value: scaleOutParallelism, why: "new pods start at the same time" },
    ]);
}

function parallelismProblems(field: string, policy: ScalePolicy | undefined): SpecProblem[] {
    return (["scaleInParallelism", "scaleOutParallelism"] as const)
        .filter((name) => (policy?.[name] ?? 1) <= 0 || (policy?.[name] ?? 1) > largestCount)
        .map((name) => {
            const operatorName = name.charAt(0).toUpperCase() + name.slice(1);
            const found = shown(policy?.[name]);
            return specError(
                `${field}.${name}`,
                found,
                `a number above 0, at most ${largestCount}`,
                undefined,
                `${field}.${operatorName}`,
            );
        });
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
