import { compareVersions, imageTag, type Version, versionOfTag } from "../../../topology/imageVersion";
import { specError, type SpecProblem } from "../../problem";
import type { BrCluster } from "../brCluster";
import type { JobPodSpec } from "../jobSpec";
import type { BrKind } from "../spec";
import { backupProblems, hasTag, imageWithTag, tooEarly, untagged } from "../versions";

/** The first version whose TiDB Lightning reads from Azure (pingcap/tidb#56606). */
const loadsFromAzure: Version = [8, 5, 0];

const imageOf = (kind: BrKind) => (kind === "Backup" ? "pingcap/dumpling" : "pingcap/tidb-lightning");

/** @returns the image of Dumpling or TiDB Lightning: `toolImage`, with the version of TiKV as its tag unless it has one. */
export function sqlImage(kind: BrKind, toolImage: string | undefined, version: string | undefined): string {
    return imageWithTag(toolImage || imageOf(kind), version);
}

/** Checks the version of the tool, and that of the cluster against the version that a dump comes from. SQL files fit other versions of TiDB too. */
export function sqlVersionProblems(
    kind: BrKind,
    { toolImage, azblob }: JobPodSpec,
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
        ...(kind === "Restore" && azblob && tool && compareVersions(tool, loadsFromAzure) < 0
            ? [
                  specError(
                      "spec.toolImage",
                      image,
                      "v8.5.0 or later with spec.azblob, such as pingcap/tidb-lightning:v8.5.3",
                  ),
              ]
            : []),
        ...backupProblems(
            backupVersion,
            version === undefined ? undefined : versionOfTag(version),
            `TiKV of ${name} has ${version}`,
        ),
    ];
}
