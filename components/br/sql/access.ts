import { memberName } from "../../../topology/names";
import { ports } from "../../../topology/ports";
import { specError, type SpecProblem } from "../../problem";
import { shown } from "../../validation/path";
import type { BrCluster } from "../brCluster";
import type { BrManifest } from "../spec";
import { accessConfigOf, accessField, isSql, type SqlManifest } from "./spec";

/** How a Job reaches TiDB. */
export interface SqlAccess {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    /** Secret with the password. Undefined if there is none. */
    readonly secretName: string | undefined;
    /** Secret with the client certificate. Undefined without TLS. */
    readonly tlsSecretName: string | undefined;
}

/** @returns how TiDB is reached: what the manifest says, otherwise what its cluster has (tidb-operator cmd/backup-manager/app/export/manager.go). */
export function sqlAccessOf(manifest: SqlManifest, { name, namespace, sql }: BrCluster): SqlAccess {
    const { host, port, user, secretName, tlsClientSecretName } = accessConfigOf(manifest);
    // What the cluster's TiDB has need not be true of another host.
    const own = !host || serviceOf(host, manifest) ? sql : undefined;
    return {
        host: host || `${memberName(name, "tidb")}.${namespace}`,
        port: port ?? own?.port ?? ports.tidb.sql,
        user: user || "root",
        secretName: secretName || undefined,
        tlsSecretName: tlsClientSecretName || own?.tlsSecret,
    };
}

/**
 * Which cluster a host belongs to, by the name of TiDB's Service; undefined if it is another host, such as a load balancer. A Service of another domain may be
 * in another Kubernetes cluster.
 */
function serviceOf(
    host: string,
    { metadata }: Pick<SqlManifest, "metadata">,
): { name: string; namespace: string } | undefined {
    const parts = host.replace(/\.$/, "").split(".");
    const [service, namespace = metadata.namespace ?? "default", svc = "svc", ...domain] = parts;
    const name = /^(.+)-tidb$/.exec(service)?.[1];
    const isHere = svc === "svc" && ["", "cluster.local"].includes(domain.join("."));
    return name === undefined || !isHere ? undefined : { name, namespace };
}

/** The cluster that a manifest names, in `br` or by the host of its TiDB. If that is another host, the name is the host. */
export function namedCluster(manifest: BrManifest | SqlManifest): { name: string; namespace: string } {
    const own = manifest.metadata.namespace ?? "default";
    if (isSql(manifest)) {
        const { host = "" } = accessConfigOf(manifest);
        return serviceOf(host, manifest) ?? { name: host, namespace: own };
    }
    const { cluster, clusterNamespace } = manifest.spec.br;
    return { name: cluster, namespace: clusterNamespace || own };
}

/** Checks how TiDB is reached against the cluster. */
export function accessProblems(kind: string, manifest: SqlManifest, cluster: BrCluster): SpecProblem[] {
    const field = `spec.${accessField(kind)}`;
    const { tlsClientSecretName } = accessConfigOf(manifest);
    const own = manifest.metadata.namespace ?? "default";
    const needsSecret = !tlsClientSecretName && sqlAccessOf(manifest, cluster).tlsSecretName !== undefined;
    return [
        ...hostProblems(`${field}.host`, kind, manifest, cluster),
        ...(needsSecret && own !== cluster.namespace
            ? [
                  specError(
                      `${field}.tlsClientSecretName`,
                      "nothing",
                      `a Secret with a client certificate in ${own}, the namespace of the Job`,
                  ),
              ]
            : []),
    ];
}

function hostProblems(field: string, kind: string, manifest: SqlManifest, cluster: BrCluster): SpecProblem[] {
    const { host } = accessConfigOf(manifest);
    if (!host) {
        return cluster.sql ? [] : [specError(field, "nothing", "the host of TiDB")];
    }
    const { name, namespace, isOwn } = cluster;
    const expected = `${memberName(name, "tidb")}.${namespace}, the Service of TiDB of ${name}`;
    const service = serviceOf(host, manifest);
    if (service === undefined) {
        return kind === "Restore"
            ? [
                  specError(
                      field,
                      shown(host),
                      isOwn ? expected : "<cluster>-tidb.<namespace>, the Service of TiDB",
                      "a gate asks that cluster whether it holds data",
                  ),
              ]
            : [];
    }
    return service.name === name && service.namespace === namespace ? [] : [specError(field, shown(host), expected)];
}
