import { deleteSlotsAnnotation } from "../../topology/annotations";
import type { Component } from "../../topology/members";
import { memberName } from "../../topology/names";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { isDnsLabel, isLabelValue, isQualifiedName, isServiceName, longestLabel } from "./kubernetesNames";
import { operatorAnnotationProblems } from "./operatorAnnotations";
import { shown } from "./path";

/**
 * The longest name of a StatefulSet. Its pods have a label `<name>-<revision>` of at most 63 characters; the dash and the
 * revision take up to 11 of them.
 */
const longestStatefulSet = 52;

/** Members whose delete slots tidb-operator checks (pkg/apis/pingcap/v1alpha1/validation). */
const checkedAlways = ["pd", "tidb", "tikv", "tiflash", "tiproxy", "ticdc"] as const;

const largestAnnotations = 256 * 1024;

/** Checks the name, namespace, labels and annotations of a cluster with these members. */
export function metadataProblems(manifest: TidbClusterManifest, members: readonly Component[]): SpecProblem[] {
    const { namespace, labels, annotations } = manifest.metadata;
    return [
        ...nameProblems(manifest.metadata.name, members),
        ...(namespace === undefined || isDnsLabel(namespace)
            ? []
            : [specError("metadata.namespace", shown(namespace), `a DNS label of at most ${longestLabel} characters`)]),
        ...labelProblems("metadata.labels", labels),
        ...annotationProblems("metadata.annotations", annotations),
        ...operatorAnnotationProblems(annotations),
        ...members.flatMap((member) => deleteSlotsProblems(member, annotations)),
        // tidb-operator also checks these if the member does not exist. They have no effect then, so a warning is not needed.
        ...checkedAlways
            .filter((member) => !members.includes(member))
            .flatMap((member) => deleteSlotsProblems(member, annotations))
            .filter(({ severity }) => severity === "error"),
    ];
}

function nameProblems(name: string | undefined, members: readonly Component[]): SpecProblem[] {
    const field = "metadata.name";
    if (name === undefined || name === "") {
        return [specError(field, "nothing", "the name of the cluster")];
    }
    if (!isServiceName(name)) {
        const expected =
            "lower-case letters, digits and dashes, starting with a letter and ending with a letter or digit";
        return [specError(field, shown(name), expected, "the names of Services and pods begin with it")];
    }
    const longest = [...members].sort((one, other) => other.length - one.length)[0] ?? "pd";
    const maxLength = Math.min(longestStatefulSet - `-${longest}`.length, longestLabel - "-discovery".length);
    return name.length <= maxLength
        ? []
        : [
              specError(
                  field,
                  `${shown(name)} of ${name.length} characters`,
                  `at most ${maxLength}`,
                  `the name of the StatefulSet ${memberName(name, longest)} may have at most ${longestStatefulSet} ` +
                      "characters, because the names and revision labels of its pods may have at most 63",
              ),
          ];
}

/** Checks a map of labels. */
export function labelProblems(field: string, labels: Record<string, string> | undefined): SpecProblem[] {
    return Object.entries(labels ?? {}).flatMap(([key, value]) => [
        ...(isQualifiedName(key) ? [] : [specError(field, `the key ${shown(key)}`, "a label key: [domain/]name")]),
        ...(isLabelValue(value)
            ? []
            : [
                  specError(
                      `${field}.${key}`,
                      shown(value),
                      `at most ${longestLabel} letters, digits, dashes, dots and underscores, starting and ending with a letter or digit`,
                  ),
              ]),
    ]);
}

/** Checks a map of annotations. */
export function annotationProblems(field: string, annotations: Record<string, string> | undefined): SpecProblem[] {
    const entries = Object.entries(annotations ?? {});
    const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
    return [
        ...entries
            .filter(([key]) => !isQualifiedName(key.toLowerCase()))
            .map(([key]) => specError(field, `the key ${shown(key)}`, "an annotation key: [domain/]name")),
        ...(size > largestAnnotations
            ? [specError(field, `${size} bytes`, `at most ${largestAnnotations} bytes in total`)]
            : []),
    ];
}

function deleteSlotsProblems(member: Component, annotations: Record<string, string> = {}): SpecProblem[] {
    const key = deleteSlotsAnnotation(member);
    const value = annotations[key];
    const field = `metadata.annotations.${key}`;
    if (value === undefined) {
        return [];
    }
    return isOrdinalList(value)
        ? [
              specWarning(
                  field,
                  shown(value),
                  "an advanced StatefulSet, which this package does not use",
                  "the annotation is copied to the StatefulSet, but Kubernetes ignores it",
              ),
          ]
        : [specError(field, shown(value), "a JSON list of ordinals, such as [1,3]")];
}

function isOrdinalList(text: string): boolean {
    try {
        const list: unknown = JSON.parse(text);
        return Array.isArray(list) && list.every((item) => Number.isInteger(item) && Math.abs(item) < 2 ** 31);
    } catch {
        return false;
    }
}
