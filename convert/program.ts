import type { TidbClusterManifest } from "../components/spec";
import { type PlainValue, printEntries, printEntry, printValue } from "./printValue";

/** Annotations that record how a manifest was applied, and mean nothing for the cluster. */
const ignoredAnnotations = ["kubectl.kubernetes.io/last-applied-configuration"];

/**
 * Returns the TypeScript program that deploys a manifest.
 *
 * @param manifest The user's manifest without unknown fields and without defaults: a default in the program would no
 *   longer follow the package.
 */
export function convertedProgram({ metadata, spec }: TidbClusterManifest): string {
    const { name, ...others } = metadata;
    const annotations = without(others.annotations ?? {}, ignoredAnnotations);
    const kept = { ...without(others, ["annotations"]), ...(isEmpty(annotations) ? {} : { annotations }) };
    const metadataText = isEmpty(kept) ? "" : `    ${printEntry("metadata", kept as PlainMap, 1)},\n`;
    const specText = isEmpty(spec) ? "    spec: {},\n" : `    spec: {\n${printEntries(spec as PlainMap, 1)}    },\n`;
    return `import { TidbCluster } from "pulumi-tidb";

const cluster = new TidbCluster(${printValue(name)}, {
${metadataText}${specText}});

export const host = cluster.sqlEndpoint;
export const images = cluster.images;
export const ready = cluster.ready;
`;
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
