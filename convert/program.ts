import type { BackupScheduleManifest } from "../components/br/schedule/spec";
import type { BrKind, BrManifest } from "../components/br/spec";
import type { SqlManifest } from "../components/br/sql/spec";
import type { CheckedInitializer } from "../components/initializer/checkInitializer";
import type { TidbClusterManifest } from "../components/spec";
import { type PlainValue, printEntries, printEntry, printValue } from "./printValue";

/** Annotations that record how a manifest was applied, and mean nothing for the cluster. */
const ignoredAnnotations = ["kubectl.kubernetes.io/last-applied-configuration"];

/** A Backup, Restore, CompactBackup or BackupSchedule of the cluster. */
type ConvertedWork =
    | { readonly kind: BrKind; readonly manifest: BrManifest | SqlManifest }
    | { readonly kind: "BackupSchedule"; readonly manifest: BackupScheduleManifest };

/**
 * Returns the TypeScript program that deploys a manifest.
 *
 * @param cluster The user's manifest without unknown fields and without defaults: a default in the program would no
 *   longer follow the package. Undefined if there are only TidbInitializers.
 * @param work The Backups, Restores, CompactBackups and BackupSchedules of the cluster.
 */
export function convertedProgram(
    cluster: TidbClusterManifest | undefined,
    initializers: readonly CheckedInitializer[] = [],
    work: readonly ConvertedWork[] = [],
): string {
    const classes = [
        ...new Set(work.map(({ kind }) => kind)),
        ...(cluster ? ["TidbCluster"] : []),
        ...(initializers.length > 0 ? ["TidbInitializer"] : []),
    ];
    const namespace = cluster?.metadata.namespace ?? "default";
    return [
        `import { ${[...classes].sort().join(", ")} } from "pulumi-tidb";\n`,
        ...(cluster ? [clusterText(cluster)] : []),
        ...initializers.map(initializerText),
        ...work.map((one) => workText(one, namespace)),
        ...(cluster
            ? [
                  `export const host = cluster.sqlEndpoint;
export const images = cluster.images;
export const ready = cluster.ready;
`,
              ]
            : []),
    ].join("\n");
}

function clusterText({ metadata, spec }: TidbClusterManifest): string {
    const specText = isEmpty(spec) ? "    spec: {},\n" : `    spec: {\n${printEntries(spec as PlainMap, 1)}    },\n`;
    return `const cluster = new TidbCluster(${printValue(metadata.name)}, {\n${metadataText(metadata)}${specText}});\n`;
}

/** A TidbInitializer takes what it can from the cluster of the same program. */
function initializerText({ manifest, cluster }: CheckedInitializer): string {
    const { metadata, spec } = manifest;
    const { cluster: ref, ...fields } = spec;
    const kept = cluster === undefined ? metadata : (without(metadata, ["namespace"]) as typeof metadata);
    const own = cluster === undefined ? { cluster: ref, ...fields } : fields;
    const by = cluster === undefined ? "" : "    tidbCluster: cluster,\n";
    return `new TidbInitializer(${printValue(metadata.name)}, {\n${by}${metadataText(kept)}    spec: {\n${printEntries(own as PlainMap, 1)}    },\n});\n`;
}

/** A Backup, Restore, CompactBackup or BackupSchedule takes the name and namespace of its cluster from it. */
function workText({ kind, manifest }: ConvertedWork, namespace: string): string {
    const { metadata } = manifest;
    const kept = metadata.namespace === namespace ? (without(metadata, ["namespace"]) as typeof metadata) : metadata;
    const own =
        kind === "BackupSchedule"
            ? { ...manifest.spec, backupTemplate: withoutCluster(manifest.spec.backupTemplate) }
            : withoutCluster(manifest.spec);
    return `new ${kind}(${printValue(metadata.name)}, {\n    cluster,\n${metadataText(kept)}    spec: {\n${printEntries(own as PlainMap, 1)}    },\n});\n`;
}

function withoutCluster(spec: (BrManifest | SqlManifest)["spec"]): object {
    const br = without(spec.br ?? {}, ["cluster", "clusterNamespace"]);
    return { ...without(spec, ["br"]), ...(isEmpty(br) ? {} : { br }) };
}

function metadataText({ name: _, ...others }: { name: string; annotations?: object }): string {
    const annotations = without(others.annotations ?? {}, ignoredAnnotations);
    const kept = { ...without(others, ["annotations"]), ...(isEmpty(annotations) ? {} : { annotations }) };
    return isEmpty(kept) ? "" : `    ${printEntry("metadata", kept as PlainMap, 1)},\n`;
}

interface PlainMap {
    [key: string]: PlainValue;
}

function without(map: object, keys: readonly string[]): object {
    return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

function isEmpty(map: object): boolean {
    return Object.keys(map).length === 0;
}
