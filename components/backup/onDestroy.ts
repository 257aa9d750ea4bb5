import type { GateBackup } from "../../provider/gates/inputs";
import { jobRevisionAnnotation } from "../../topology/annotations";
import { onDestroyName } from "../../topology/backupPods";
import { stableDigest } from "../kubernetes/templateRevision";
import type { OnDestroyArgs } from "../operations";
import { ManifestError, specError } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { gateBackup } from "./gateBackup";

const place = "operations.backup.onDestroy.spec";

/** What the last gate of a cluster gets for a last backup. @throws ManifestError if the cluster cannot be backed up so. */
export function onDestroyInputs(manifest: TidbClusterManifest, args: OnDestroyArgs): GateBackup {
    if (manifest.spec.tikv === undefined) {
        throw new ManifestError(
            [specError(place, "a cluster without TiKV", "a TiKV: there is nothing to back up otherwise")],
            `TidbCluster ${manifest.metadata.name}`,
        );
    }
    const backup = gateBackup(onDestroyName, place, manifest, args);
    const { job, untaggedImage } = backup;
    // Its version is that of TiKV when the cluster is destroyed: a change of version then changes nothing here.
    for (const container of job.spec.template.spec.containers) {
        container.image = untaggedImage ?? container.image;
    }
    job.metadata.annotations = { ...job.metadata.annotations, [jobRevisionAnnotation]: stableDigest(job) };
    return backup;
}
