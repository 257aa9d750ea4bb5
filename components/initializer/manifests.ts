import { componentLabel, instanceLabel, managedByLabel } from "../../topology/labels";
import { memberName, sqlClientSecretName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { attemptName, type JobRunArgs } from "../jobRunArgs";
import { combine } from "../kubernetes/labels";
import type { Volume } from "../kubernetes/pod";
import type { KubernetesObject } from "../kubernetes/object";
import { ownClientsUseSqlTls } from "../kubernetes/sqlClients";
import { stableDigest } from "../kubernetes/templateRevision";
import type { TidbClusterManifest } from "../spec";
import { type InitializedClusterRef, initializerImage, type InitializerSpec } from "./spec";
import { startScript } from "./startScript";

/** A TidbInitializer without Outputs. */
export interface InitializerManifest {
    readonly metadata: {
        readonly name: string;
        readonly namespace: string;
        readonly labels?: Record<string, string>;
        readonly annotations?: Record<string, string>;
    };
    readonly spec: InitializerSpec & { readonly cluster: InitializedClusterRef };
}

/** How SQL clients reach the cluster. */
export interface SqlAccess {
    readonly port: number;
    /** Whether TiDB is reached with TLS, and whether its certificate is verified. Default: without TLS. */
    readonly tls?: { readonly verify: boolean };
}

/** The objects of a TidbInitializer. */
export interface InitializerObjects {
    readonly configMap: KubernetesObject;
    readonly job: KubernetesObject;
}

/** For how long the Job waits for TiDB. */
const waitSeconds = 300;

const scriptFolder = "/usr/local/bin";
const scriptFile = "start_script.py";
const passwordFolder = "/etc/tidb/password";
const sqlFolder = "/data";
const sqlFile = "init.sql";
const tlsFolder = "/var/lib/tidb-client-tls";

/** @returns how the Job reaches TiDB. @param cluster Undefined if the program does not deploy it. */
export function sqlAccess(cluster: TidbClusterManifest | undefined, { spec }: InitializerManifest): SqlAccess {
    if (cluster === undefined) {
        return { port: ports.tidb.sql, ...(spec.tlsClientSecretName === undefined ? {} : { tls: { verify: true } }) };
    }
    const { tidb } = cluster.spec;
    const verify = tidb?.tlsClient?.skipInternalClientCA !== true;
    return {
        port: tidb?.service?.port ?? ports.tidb.sql,
        ...(ownClientsUseSqlTls(cluster) ? { tls: { verify } } : {}),
    };
}

/**
 * Renders the objects of a TidbInitializer: a ConfigMap with the program and the SQL statements, and a Job. The ConfigMap has the name of the
 * attempt: what a Job runs stays what it was when the Job was created.
 */
export function initializerManifests(
    manifest: InitializerManifest,
    access: SqlAccess,
    run: JobRunArgs = {},
): InitializerObjects {
    const { metadata, spec } = manifest;
    const name = `${memberName(spec.cluster.name, "tidb")}-initializer`;
    const configMap = attemptName(name, run);
    const labels = combine(
        {
            [componentLabel]: "initializer",
            [instanceLabel]: metadata.name,
            [managedByLabel]: "pulumi-tidb",
            "tidb.pingcap.com/initializer": metadata.name,
        },
        metadata.labels,
    );
    const { annotations } = metadata;
    const ownMetadata = { name, namespace: metadata.namespace, labels, ...(annotations ? { annotations } : {}) };
    const sql = spec.initSqlConfigMap === undefined ? spec.initSql : undefined;
    const data = { "start-script": startScript, ...(sql === undefined ? {} : { "init-sql": sql }) };
    return {
        configMap: { apiVersion: "v1", kind: "ConfigMap", metadata: { ...ownMetadata, name: configMap }, data },
        job: {
            apiVersion: "batch/v1",
            kind: "Job",
            metadata: ownMetadata,
            spec: {
                backoffLimit: 0,
                template: {
                    metadata: {
                        labels,
                        // With this the Job of a changed program differs, although the ConfigMap has the same name.
                        annotations: combine({ "pulumi-tidb.io/initializer-files": stableDigest(data) }, annotations),
                    },
                    spec: podSpec(manifest, access, configMap),
                },
            },
        },
    };
}

interface MountedFile {
    readonly volume: Volume;
    readonly mount: object;
}

function podSpec({ spec }: InitializerManifest, access: SqlAccess, configMap: string): object {
    const mounted = mountedFiles(spec, access, configMap);
    const container = {
        name: "mysql-client",
        image: spec.image ?? initializerImage,
        ...(spec.imagePullPolicy === undefined ? {} : { imagePullPolicy: spec.imagePullPolicy }),
        command: ["python", `${scriptFolder}/${scriptFile}`, ...scriptArguments(spec, access)],
        ...(spec.timezone === undefined ? {} : { env: [{ name: "TZ", value: spec.timezone }] }),
        ...(spec.resources === undefined ? {} : { resources: spec.resources }),
        volumeMounts: mounted.map(({ mount }) => mount),
    };
    const { imagePullSecrets, serviceAccountName, tolerations, nodeSelector, podSecurityContext } = spec;
    const fields = {
        imagePullSecrets,
        serviceAccountName,
        tolerations,
        nodeSelector,
        securityContext: podSecurityContext,
    };
    return {
        ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
        automountServiceAccountToken: false,
        containers: [container],
        restartPolicy: "Never",
        volumes: mounted.map(({ volume }) => volume),
    };
}

function scriptArguments(spec: InitializerManifest["spec"], { port, tls }: SqlAccess): string[] {
    const hasSql = spec.initSql !== undefined || spec.initSqlConfigMap !== undefined;
    return [
        `--host=${memberName(spec.cluster.name, "tidb")}`,
        `--port=${port}`,
        `--wait-seconds=${waitSeconds}`,
        `--permit-host=${spec.permitHost ?? "%"}`,
        ...(spec.passwordSecret === undefined ? [] : [`--passwords=${passwordFolder}`]),
        ...(hasSql ? [`--sql=${sqlFolder}/${sqlFile}`] : []),
        ...(tls === undefined ? [] : [`--tls=${tlsFolder}`]),
        ...(tls?.verify === false ? ["--tls-no-ca"] : []),
    ];
}

function mountedFiles(spec: InitializerManifest["spec"], { tls }: SqlAccess, configMap: string): MountedFile[] {
    const { passwordSecret, initSql, initSqlConfigMap } = spec;
    const file = (name: string, from: string, key: string, path: string): Volume => ({
        name,
        configMap: { name: from, items: [{ key, path }] },
    });
    const folder = (name: string, mountPath: string): object => ({ name, readOnly: true, mountPath });
    const secret = (name: string, secretName: string): Volume => ({ name, secret: { secretName } });
    return [
        ...(tls === undefined
            ? []
            : [
                  {
                      volume: secret(
                          "tidb-client-tls",
                          spec.tlsClientSecretName ?? sqlClientSecretName(spec.cluster.name),
                      ),
                      mount: folder("tidb-client-tls", tlsFolder),
                  },
              ]),
        {
            volume: file("start-script", configMap, "start-script", scriptFile),
            mount: { ...folder("start-script", `${scriptFolder}/${scriptFile}`), subPath: scriptFile },
        },
        ...(passwordSecret === undefined
            ? []
            : [{ volume: secret("password", passwordSecret), mount: folder("password", passwordFolder) }]),
        ...(initSql === undefined && initSqlConfigMap === undefined
            ? []
            : [
                  {
                      volume: file("init-sql", initSqlConfigMap ?? configMap, "init-sql", sqlFile),
                      mount: folder("init-sql", sqlFolder),
                  },
              ]),
    ];
}
