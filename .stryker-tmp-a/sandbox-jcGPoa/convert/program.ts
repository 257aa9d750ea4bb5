import type { TidbClusterManifest } from "../components/spec";
import { type PlainValue, printEntries, printEntry, printValue } from "./printValue";

/** Annotations that say how a manifest came to Kubernetes, and nothing about the cluster. */
const notOurs = ["kubectl.kubernetes.io/last-applied-configuration"];

/**
 * The TypeScript program that deploys a manifest.
 *
 * @param manifest As it was given, without what is unknown and without defaults: a default that is written down would
 *   no longer follow the package.
 */
export function convertedProgram({ metadata, spec }: TidbClusterManifest): string {
    const { name, ...others } = metadata;
    const annotations = without(others.annotations ?? {}, notOurs);
    const meaning = { ...without(others, ["annotations"]), ...(isEmpty(annotations) ? {} : { annotations }) };
    const metadataText = isEmpty(meaning) ? "" : `    ${printEntry("metadata", meaning as PlainMap, 1)},\n`;
    const specText = isEmpty(spec) ? "    spec: {},\n" : `    spec: {\n${printEntries(spec as PlainMap, 1)}    },\n`;
    return `import { TidbCluster } from "pulumi-tidb";

const cluster = new TidbCluster(${printValue(name)}, {
${metadataText}${specText}});

export const host = cluster.tidbEndpoint;
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
