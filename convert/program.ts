import type { BrKind, BrManifest } from "../components/br/spec";
import type { TidbClusterManifest } from "../components/spec";
import { type PlainValue, printEntries, printEntry, printValue } from "./printValue";

/** Annotations that record how a manifest was applied, and mean nothing for the cluster. */
const ignoredAnnotations = ["kubectl.kubernetes.io/last-applied-configuration"];

/** A Backup or Restore of the cluster. */
export interface ConvertedWork {
    readonly kind: BrKind;
    readonly manifest: BrManifest;
}

/**
 * Returns the TypeScript program that deploys a manifest.
 *
 * @param manifest The user's manifest without unknown fields and without defaults: a default in the program would no
 *   longer follow the package.
 * @param work The Backups and Restores of the cluster.
 */
export function convertedProgram({ metadata, spec }: TidbClusterManifest, work: readonly ConvertedWork[] = []): string {
    const { name, ...others } = metadata;
    const metadataText = metadataOf(others);
    const names = [...new Set(["TidbCluster", ...work.map(({ kind }) => kind)])].sort();
    const specText = isEmpty(spec) ? "    spec: {},\n" : `    spec: {\n${printEntries(spec as PlainMap, 1)}    },\n`;
    return `import { ${names.join(", ")} } from "pulumi-tidb";

const cluster = new TidbCluster(${printValue(name)}, {
${metadataText}${specText}});
${work.map((one) => `\n${convertedWork(one, metadata.namespace ?? "default")}`).join("")}
export const host = cluster.sqlEndpoint;
export const images = cluster.images;
export const ready = cluster.ready;
`;
}

/** The program's cluster gives its name and namespace. */
function convertedWork({ kind, manifest }: ConvertedWork, namespace: string): string {
    const { name, ...others } = manifest.metadata;
    const metadataText = metadataOf(others.namespace === namespace ? without(others, ["namespace"]) : others);
    const br = without(manifest.spec.br, ["cluster", "clusterNamespace"]);
    const spec = { ...without(manifest.spec, ["br"]), ...(isEmpty(br) ? {} : { br }) };
    return `new ${kind}(${printValue(name)}, {
    cluster,
${metadataText}    spec: {
${printEntries(spec as PlainMap, 1)}    },
});
`;
}

function metadataOf(others: { annotations?: object }): string {
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
