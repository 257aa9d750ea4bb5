import { compareVersions, imageTag, type Version, versionOfTag } from "../../../topology/imageVersion";
import { specError, type SpecProblem } from "../../problem";
import type { BrCluster } from "../brCluster";
import { brImage, hasTag, imageWithTag } from "../versions";
import type { CompactBackupSpec } from "./spec";

/** The first version whose `tikv-ctl` compacts log backups (docs.pingcap.com, "Compact Log Backup"; tikv/tikv cmd/tikv-ctl/src/cmd.rs). */
const firstVersion: Version = [8, 5, 5];

/** @returns the image that has `tikv-ctl`: `tikvImage`, or the cluster's image of TiKV. */
export function tikvImage(spec: CompactBackupSpec, { tikvImage: own, version }: BrCluster): string {
    return imageWithTag(spec.tikvImage || own || "pingcap/tikv", version);
}

/** Checks that both images have what a compaction needs. */
export function compactVersionProblems(spec: CompactBackupSpec, cluster: BrCluster): SpecProblem[] {
    const ctl = tikvImage(spec, cluster);
    if (!hasTag(ctl)) {
        const expected = "an image of TiKV with its tag, such as pingcap/tikv:v8.5.5";
        return [specError("spec.tikvImage", `${ctl}, without a version`, expected)];
    }
    const isOneVersion = !spec.tikvImage && !spec.toolImage;
    return [
        ...tooEarly("spec.tikvImage", ctl),
        ...(isOneVersion ? [] : tooEarly("spec.toolImage", brImage(spec.toolImage, cluster.version))),
    ];
}

function tooEarly(field: string, image: string): SpecProblem[] {
    const version = versionOfTag(imageTag(image));
    return version && compareVersions(version, firstVersion) < 0
        ? [specError(field, image, "v8.5.5 or later, the first version that compacts log backups")]
        : [];
}
