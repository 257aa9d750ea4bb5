import { brError, BrError } from "../errors";
import type { PdClient } from "./pdClient";

/** What BR asks PD before it begins. */
export interface ClusterFacts {
    readonly clusterId: string;
    /** As PD says it, in quotes: BR writes it so into the backup. */
    readonly clusterVersion: string;
    readonly stores: readonly StoreFacts[];
}

interface StoreFacts {
    readonly address: string;
    readonly version: string;
    readonly state: string;
    readonly isTiflash: boolean;
}

interface WireStores {
    stores?: {
        store: { address: string; version: string; state_name: string; labels?: { key: string; value: string }[] };
    }[];
}

/** Asks PD which cluster it is, in which version, and with which stores. */
export async function readCluster(pd: PdClient): Promise<ClusterFacts> {
    const clusterId = /"id":\s*(\d+)/.exec(await pd.get("/pd/api/v1/cluster"))?.[1];
    if (clusterId === undefined) {
        throw brError("pdInvalidResponse", "PD names no cluster id");
    }
    const clusterVersion = (await pd.get("/pd/api/v1/config/cluster-version")).trim();
    const { stores = [] } = JSON.parse(await pd.get("/pd/api/v1/stores")) as WireStores;
    return {
        clusterId,
        clusterVersion,
        stores: stores
            .filter(({ store }) => store.state_name !== "Tombstone")
            .map(({ store }) => ({
                address: store.address,
                version: store.version.replace(/^v/, ""),
                state: store.state_name,
                isTiflash: (store.labels ?? []).some(({ key, value }) => key === "engine" && value === "tiflash"),
            })),
    };
}

/**
 * Refuses a cluster that this BR does not work with (`CheckVersionForBR` in br/pkg/version/version.go, v8.5): its major version
 * may be BR's own, or the one before.
 */
export function checkBrVersion({ stores }: ClusterFacts, brVersion: string): void {
    for (const { address, version } of stores.filter((store) => !store.isTiflash)) {
        const behind = majorOf(brVersion) - majorOf(version);
        if (behind < 0 || behind > 1) {
            const about = `TiKV node ${address} version ${version} and BR ${brVersion} major version mismatch, please use the same version of BR`;
            throw new BrError(
                "running BR in incompatible version of cluster, if you believe it's OK, use --check-requirements=false to skip.: " +
                    brError("versionMismatch", about).message,
            );
        }
    }
}

/** Refuses a backup from a cluster that is more than one major version newer (`CheckVersionForBackup`, same file). */
export function checkBackupVersion({ stores }: ClusterFacts, backupVersion: string): void {
    for (const { version } of stores.filter((store) => !store.isTiflash)) {
        if (majorOf(backupVersion) - majorOf(version) > 1) {
            throw brError(
                "versionMismatch",
                `backup with cluster version ${backupVersion} cannot be restored at cluster of version ${version}: major version mismatches`,
            );
        }
    }
}

function majorOf(version: string): number {
    return Number(version.replace(/^v/, "").split(".")[0]);
}
