import type * as pulumi from "@pulumi/pulumi";
import type { OperationsArgs } from "../operations";
import type { TidbClusterManifest } from "../spec";
import { warnedPlaceClaim } from "./backupPlaces";
import { gateBackupPlace } from "./gateBackup";

/** Notes where the backups that a cluster's gates take are, and warns of another backup of the program whose path that is. */
export function claimGatePlaces(
    manifest: pulumi.Output<TidbClusterManifest>,
    { beforeUpgrade, onDestroy }: NonNullable<OperationsArgs["backup"]> = {},
    cluster: pulumi.Resource,
): void {
    for (const [key, backup] of Object.entries({ beforeUpgrade, onDestroy })) {
        if (backup) {
            const claim = warnedPlaceClaim(cluster);
            manifest.apply((known) =>
                claim(gateBackupPlace(`operations.backup.${key}`, known as TidbClusterManifest, backup)),
            );
        }
    }
}
