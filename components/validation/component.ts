import { componentLabel, instanceLabel, managedByLabel, nameLabel } from "../../topology/labels";
import type { ComponentSpec, ResourceSpec, ScalePolicy, TopologySpreadConstraint } from "../componentSpec";
import { specError, type SpecProblem, specWarning } from "../problem";
import { containerProblems, environmentProblems } from "./environment";
import { isQualifiedName, isSysctlName } from "./kubernetesNames";
import { annotationProblems, labelProblems } from "./metadata";
import { noEffectProblems } from "./noEffect";
import { shown } from "./path";
import { resourceProblems } from "./resources";

const tag = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** The largest signed 32-bit number. */
const largestCount = 2_147_483_647;

/** Labels that select the objects of a member. A user's labels with these keys have no effect. */
const ownLabels = [componentLabel, instanceLabel, managedByLabel, nameLabel];

/**
 * Checks the settings that every member and discovery have.
 *
 * @param unchecked The main container of a member that tidb-operator does not check. Only Kubernetes' rules apply to it.
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
        ...sysctlProblems(field, spec),
        ...schedulerProblems(field, spec),
        ...versionProblems(`${field}.version`, spec.version),
        ...updateStrategyProblems(field, spec.statefulSetUpdateStrategy),
        ...spreadProblems(field, spec.topologySpreadConstraints),
    ];
}

/** Checks how pods are spread (CRD of v1alpha1: a list with one entry per topology key). */
export function spreadProblems(field: string, constraints: readonly TopologySpreadConstraint[] = []): SpecProblem[] {
    return constraints.flatMap(({ topologyKey, matchLabels }, index) => {
        const at = `${field}.topologySpreadConstraints[${index}]`;
        const isDuplicate = constraints.findIndex((other) => other.topologyKey === topologyKey) < index;
        const unused = Object.keys(matchLabels ?? {}).filter((key) => key !== componentLabel && key !== instanceLabel);
        return [
            ...(isQualifiedName(topologyKey ?? "")
                ? []
                : [specError(`${at}.topologyKey`, shown(topologyKey), "the key of a node label")]),
            ...(isDuplicate
                ? [
                      specError(
                          `${at}.topologyKey`,
                          `a second ${shown(topologyKey)}`,
                          "a key that no other constraint has",
                      ),
                  ]
                : []),
            ...unused.map((key) =>
                specWarning(
                    `${at}.matchLabels.${key}`,
                    shown(matchLabels?.[key]),
                    `${componentLabel} or ${instanceLabel}`,
                    "other labels are ignored, as in tidb-operator",
                ),
            ),
        ];
    });
}

/** Checks the labels, annotations and node selector of pods. */
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
                    "this label selects the member's pods, so the value is ignored",
                ),
            ),
    ];
}

/** Checks the names of kernel parameters. An init container may set them, and then Kubernetes does not check them. */
export function sysctlProblems(field: string, spec: Pick<ComponentSpec, "podSecurityContext">): SpecProblem[] {
    return (spec.podSecurityContext?.sysctls ?? []).flatMap(({ name = "" }, index) =>
        isSysctlName(name)
            ? []
            : [
                  specError(
                      `${field}.podSecurityContext.sysctls[${index}].name`,
                      shown(name),
                      "the name of a kernel parameter, such as net.core.somaxconn",
                  ),
              ],
    );
}

/** Warns of the scheduler that is a program of tidb-operator, off by default since 1.4: without it no pod starts. */
export function schedulerProblems(field: string, { schedulerName }: { schedulerName?: string }): SpecProblem[] {
    return schedulerName === "tidb-scheduler"
        ? [
              specWarning(
                  `${field}.schedulerName`,
                  shown(schedulerName),
                  "nothing, or default-scheduler",
                  "it is a program of TiDB Operator, without which no pod starts; topologySpreadConstraints spread the pods",
                  "no pod starts without TiDB Operator's scheduler",
              ),
          ]
        : [];
}

/** Checks a version. It must be a valid image tag. */
export function versionProblems(field: string, version: string | undefined): SpecProblem[] {
    return version === undefined || version === "" || tag.test(version)
        ? []
        : [specError(field, shown(version), "an image tag, such as v8.5.3")];
}

/**
 * Checks how many pods may be added or removed at the same time.
 *
 * @param leave `in turn`: `scaleInParallelism` pods leave at a time. `at once`: all of them do, because the pods are stateless.
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
            why: "all pods that leave stop at the same time",
        },
        { field: "scaleOutParallelism", value: scaleOutParallelism, why: "all new pods start at the same time" },
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
                `a whole number from 1 to ${largestCount}`,
                undefined,
                `${field}.${operatorName}`,
            );
        });
}

/** Warns if Kubernetes should restart pods: only the gates do. */
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
