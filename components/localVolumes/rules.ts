import { isMap } from "../plainMap";
import { specError, type SpecProblem } from "../problem";
import { isDnsLabel } from "../validation/kubernetesNames";
import { fieldTypes, kubernetesTypes } from "../validation/kubernetesTypes";
import { shownWithKind } from "../validation/path";
import { unknownFields } from "../validation/unknownField";
import type { LocalVolumeClass, LocalVolumesArgs } from "./spec";

const fields: readonly string[] = [
    "metadata",
    "classes",
    "image",
    "nodeSelector",
    "tolerations",
    "resources",
    "priorityClassName",
] satisfies (keyof LocalVolumesArgs)[];
const classFields: readonly string[] = [
    "name",
    "hostDir",
    "volumeMode",
    "fsType",
    "namePattern",
    "blockCleanerCommand",
    "reclaimPolicy",
] satisfies (keyof LocalVolumeClass)[];

const { nodeSelector, priorityClassName, resources, tolerations } = kubernetesTypes;
const podTypes = fieldTypes({ nodeSelector, priorityClassName, resources, tolerations });

/** Fields that are plain texts, and those whose texts are given. */
const texts: readonly string[] = ["fsType", "namePattern"];
const words: Readonly<Record<string, readonly string[]>> = {
    volumeMode: ["Filesystem", "Block"],
    reclaimPolicy: ["Delete", "Retain"],
};

/** @returns the errors in the arguments of LocalVolumes. @param name Name of the objects. */
export function localVolumesProblems(args: object, name: string): SpecProblem[] {
    const { metadata, classes, image } = args as Record<string, unknown>;
    return [
        ...unknownFields("", args, fields),
        ...(metadata === undefined
            ? []
            : isMap(metadata)
              ? [
                    ...unknownFields("metadata", metadata, ["name", "namespace"]),
                    ...labelProblems("metadata.namespace", metadata.namespace ?? "default"),
                ]
              : [specError("metadata", shownWithKind(metadata), "a map")]),
        ...labelProblems("metadata.name", name),
        ...podTypes(args),
        ...(image === undefined || isText(image)
            ? []
            : [specError("image", shownWithKind(image), "an image with its tag")]),
        ...(Array.isArray(classes) && classes.length > 0
            ? [...classes.flatMap(classProblems), ...overlaps(classes.filter(isMap))]
            : [specError("classes", shownWithKind(classes), "a list of at least one storage class")]),
    ];
}

function classProblems(one: unknown, index: number): SpecProblem[] {
    const at = `classes[${index}]`;
    if (!isMap(one)) {
        return [specError(at, shownWithKind(one), "a map with name and hostDir")];
    }
    const { name, hostDir, blockCleanerCommand: command } = one;
    return [
        ...unknownFields(at, one, classFields),
        ...labelProblems(`${at}.name`, name),
        ...(typeof hostDir === "string" && isFolder(hostDir)
            ? []
            : [
                  specError(
                      `${at}.hostDir`,
                      shownWithKind(hostDir),
                      "an absolute path below the root, without `..` and without `/` at the end",
                  ),
              ]),
        ...Object.entries(words).flatMap(([field, allowed]) =>
            one[field] === undefined || allowed.includes(one[field] as string)
                ? []
                : [specError(`${at}.${field}`, shownWithKind(one[field]), allowed.join(" or "))],
        ),
        ...texts.flatMap((field) =>
            one[field] === undefined || isText(one[field])
                ? []
                : [specError(`${at}.${field}`, shownWithKind(one[field]), "a text that is not empty")],
        ),
        ...(command === undefined || (Array.isArray(command) && command.length > 0 && command.every(isText))
            ? []
            : [
                  specError(
                      `${at}.blockCleanerCommand`,
                      shownWithKind(command),
                      "a list of a program and its arguments",
                  ),
              ]),
    ];
}

/** Two classes that find the same disk make two volumes of it: two pods would write over each other's data. */
function overlaps(classes: readonly Record<string, unknown>[]): SpecProblem[] {
    return classes.flatMap((one, index) => {
        const before = classes.slice(0, index);
        const at = `classes[${index}]`;
        const inside = before.find(({ hostDir }) => isWithin(one.hostDir, hostDir) || isWithin(hostDir, one.hostDir));
        return [
            ...(before.some(({ name }) => name === one.name)
                ? [specError(`${at}.name`, shownWithKind(one.name), "a name that no other class has")]
                : []),
            ...(inside === undefined
                ? []
                : [
                      specError(
                          `${at}.hostDir`,
                          shownWithKind(one.hostDir),
                          `a folder apart from ${String(inside.hostDir)} of class ${String(inside.name)}`,
                          "a disk that two classes find would become two volumes",
                      ),
                  ]),
        ];
    });
}

function isWithin(inner: unknown, outer: unknown): boolean {
    return typeof inner === "string" && typeof outer === "string" && `${inner}/`.startsWith(`${outer}/`);
}

function isFolder(path: string): boolean {
    return /^(\/[^/]+)+$/.test(path) && !path.split("/").some((part) => part === "." || part === "..");
}

function isText(value: unknown): value is string {
    return typeof value === "string" && value !== "";
}

function labelProblems(field: string, value: unknown): SpecProblem[] {
    const isValid = typeof value === "string" && isDnsLabel(value);
    return isValid
        ? []
        : [
              specError(
                  field,
                  shownWithKind(value),
                  "at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends",
              ),
          ];
}
