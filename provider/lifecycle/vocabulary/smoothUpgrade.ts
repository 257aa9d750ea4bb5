import { compareVersions, type Version, versionOfTag } from "../../../topology/imageVersion";

/**
 * TiDB's smooth upgrade: while it is on, TiDB pauses the DDL statements of users, which could otherwise meet servers of two versions. It
 * is a state of the whole cluster, in PD's etcd, and outlives every server (pingcap/tidb pkg/server/handler/upgrade_handler.go). `servers`
 * are those of all TidbClusters on the PD.
 */
export type UpgradeState =
    { readonly state: "normal" } | { readonly state: "upgrading"; readonly servers: UpgradedServers };

/** The state that a TiDB server answers, and which one did: the same one is told to change it. */
export type ObservedUpgrade = UpgradeState & { readonly pod: string; readonly uid: string };

/** How far a smooth upgrade is, as TiDB says it. A server that was killed is listed for up to ten minutes more. */
export interface UpgradedServers {
    /** How many percent of them run the latest version. */
    readonly percent: number;
    readonly list: readonly UpgradedServer[];
}

export interface UpgradedServer {
    /** The one that it advertises. */
    readonly address: string;
    readonly version: string;
    /** Whether that is the address of a pod of this TidbCluster, which may be gone. */
    readonly isOurs: boolean;
}

/** A smooth upgrade that a run has begun. Kept in the cluster's Lease from before its beginning until its end was read back. */
export interface UpgradeRecord {
    /** By the clock of the machine that began it. For people only; no decision uses it. */
    readonly begunAt: number;
    /** The tags of the images. For people only. */
    readonly from: string;
    readonly to: string;
}

const first: Version = [7, 1, 2];
const firstOfNext: Version = [7, 2, 0];
const firstForAll: Version = [7, 4, 0];

/**
 * @returns whether an upgrade between the versions is smooth only if TiDB is told of it: from 7.1.2 and later 7.1 versions, or from 7.4.0
 * on, to 7.4.0 or later; and between 7.1 versions from 7.1.2 on (docs.pingcap.com/tidb/stable/smooth-upgrade-tidb). Others
 * have no such switch: between 7.1.0 and 7.3.0 TiDB does it by itself, and everything else is no smooth upgrade. A tag that
 * is no version is none either.
 */
export function isSwitchedUpgrade(from: string, to: string): boolean {
    const [before, after] = [versionOfTag(from), versionOfTag(to)];
    if (before === undefined || after === undefined || compareVersions(before, after) >= 0) {
        return false;
    }
    const isLate71 = (version: Version) =>
        compareVersions(version, first) >= 0 && compareVersions(version, firstOfNext) < 0;
    const hasSwitch = isLate71(before) || compareVersions(before, firstForAll) >= 0;
    return hasSwitch && (compareVersions(after, firstForAll) >= 0 || isLate71(after));
}
