import { imageTag } from "../../topology/imageVersion";
import { sqlClientSecretName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import { instanceName } from "../kubernetes/labels";
import { namespaceOf } from "../kubernetes/metadata";
import { ownClientsUseSqlTls } from "../kubernetes/sqlClients";
import { hasClusterTls } from "../kubernetes/tls";
import type { TidbClusterManifest } from "../spec";

/** What BR's Job needs to know of its cluster. */
export interface BrCluster {
    readonly name: string;
    readonly namespace: string;
    /** Tag of TiKV's image: `v8.5.3`. Undefined if it is not known: the cluster has no TiKV, or its image has a digest only. */
    readonly version: string | undefined;
    /** TiKV's image. Undefined if only its version is known. */
    readonly tikvImage?: string;
    /** Whether its members use TLS. */
    readonly tls: boolean;
    /** How its TiDB is reached by SQL. Default: it is not known, or there is none. */
    readonly sql?: {
        readonly port: number;
        /** Secret with the certificate of its own SQL clients. Default: without TLS. */
        readonly tlsSecret?: string;
    };
    /** Whether the same program deploys it: then its gates can delete the data of Backups. Default: false. */
    readonly isOwn?: true;
}

/** How the gate before a restore finds the pods of the cluster. */
export interface BrPods {
    /** Value of the label `app.kubernetes.io/instance` on its objects. */
    readonly instance: string;
    /** Domain after its pods' host names. Default: none. */
    readonly domain?: string;
}

/**
 * @param runs the image of TiKV that runs. Default: the one that the manifest asks for.
 * @returns what BR's Job needs to know of a checked cluster.
 */
export function brClusterOf(manifest: TidbClusterManifest, runs?: string): BrCluster {
    const { tikv, tidb } = manifest.spec;
    const { name } = manifest.metadata;
    const tikvImage = tikv === undefined ? undefined : (runs ?? memberImage(manifest, tikv));
    const tag = tikvImage === undefined ? undefined : imageTag(tikvImage);
    return {
        name,
        namespace: namespaceOf(manifest),
        tikvImage,
        version: tag === undefined || tag === "latest" || tag.startsWith("sha256") ? undefined : tag,
        tls: hasClusterTls(manifest),
        ...(tidb
            ? {
                  sql: {
                      port: tidb.service?.port ?? ports.tidb.sql,
                      ...(ownClientsUseSqlTls(manifest) ? { tlsSecret: sqlClientSecretName(name) } : {}),
                  },
              }
            : {}),
        isOwn: true,
    };
}

/** @returns how the pods of a checked cluster are found. */
export function brPodsOf(manifest: TidbClusterManifest): BrPods {
    const domain = manifest.spec.clusterDomain;
    return { instance: instanceName(manifest), ...(domain ? { domain } : {}) };
}
