import { imageTag, versionOfTag } from "../../../topology/imageVersion";
import type { SpecProblem } from "../../problem";
import type { BrCluster } from "../brCluster";
import type { BrKind } from "../spec";
import { backupProblems, hasTag, imageWithTag, tooEarly, untagged } from "../versions";

const imageOf = (kind: BrKind) => (kind === "Backup" ? "pingcap/dumpling" : "pingcap/tidb-lightning");

/** @returns the image of Dumpling or TiDB Lightning: `toolImage`, with the version of TiKV as its tag unless it has one. */
export function sqlImage(kind: BrKind, toolImage: string | undefined, version: string | undefined): string {
    return imageWithTag(toolImage || imageOf(kind), version);
}

/** Checks the version of the tool, and that of the cluster against the version that a dump comes from. SQL files fit other versions of TiDB too. */
export function sqlVersionProblems(
    kind: BrKind,
    toolImage: string | undefined,
    { version, name }: BrCluster,
    backupVersion?: string,
): SpecProblem[] {
    const image = sqlImage(kind, toolImage, version);
    if (!hasTag(image)) {
        return [untagged(imageOf(kind))];
    }
    const tool = versionOfTag(imageTag(image));
    return [
        ...(tool ? tooEarly(image, tool, "earlier versions do not use these storages themselves") : []),
        ...backupProblems(backupVersion, version === undefined ? undefined : versionOfTag(version), `TiKV of ${name} has ${version}`),
    ];
}
