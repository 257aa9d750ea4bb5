import { apiVersion, type CheckedManifest } from "../checkManifest";
import type { KubernetesObject } from "../kubernetes/object";
import { isMap } from "../plainMap";
import { ManifestError, specError, type SpecProblem } from "../problem";
import { shown } from "../validation/path";
import { nearest } from "../validation/nearest";
import { isStored, unknownName } from "../validation/unknownField";
import { initializerManifests, type InitializerManifest, sqlAccess } from "./manifests";
import { initializerProblems } from "./rules";
import { initializerFields } from "./spec";

/** A TidbInitializer of a YAML text, with what is known of its cluster. */
export interface CheckedInitializer {
    readonly manifest: InitializerManifest;
    /** Its cluster, if the text has it too. */
    readonly cluster: CheckedManifest | undefined;
    readonly warnings: SpecProblem[];
}

/** What a program passes on of a TidbInitializer of a YAML text. */
export interface GivenInitializer {
    readonly metadata: Record<string, unknown>;
    readonly spec: Record<string, unknown>;
    readonly problems: SpecProblem[];
}

/** The fields of the metadata that are taken. The API server adds others, which are ignored. */
const metadataFields = ["name", "namespace", "labels", "annotations"];

/**
 * @param isConverted Whether unknown fields of its spec are left out, with a warning. Default: they are errors, as those of a TidbCluster.
 * @returns the parts of an object of the kind TidbInitializer that count.
 */
export function givenInitializer(object: Record<string, unknown>, isConverted = false): GivenInitializer {
    const { metadata, spec } = object;
    const known: readonly string[] = initializerFields;
    const unknown = isMap(spec) ? Object.keys(spec).filter((field) => !known.includes(field)) : [];
    const severity = isConverted || isStored(object) ? "warning" : "error";
    return {
        metadata: taken(metadata, (field) => metadataFields.includes(field)),
        spec: taken(spec, (field) => known.includes(field)),
        problems: [
            ...(object.apiVersion === undefined || object.apiVersion === apiVersion
                ? []
                : [specError("apiVersion", shown(object.apiVersion), apiVersion)]),
            ...unknown.map((field) => unknownName(severity, `spec.${field}`, nearest(field, known))),
        ],
    };
}

/**
 * Checks an object of the kind TidbInitializer.
 *
 * @param clusters The clusters of the same text.
 * @param isConverted As above.
 * @throws ManifestError that lists every error.
 */
export function checkInitializer(
    object: Record<string, unknown>,
    clusters: readonly CheckedManifest[],
    isConverted = false,
): CheckedInitializer {
    const { metadata, spec, problems } = givenInitializer(object, isConverted);
    const { name, namespace = "default" } = metadata;
    const ref = isMap(spec.cluster) ? spec.cluster.name : undefined;
    const cluster = clusters.find(
        ({ manifest }) => manifest.metadata.name === ref && (manifest.metadata.namespace ?? "default") === namespace,
    );
    const all = [
        ...problems,
        ...(ref === undefined ? [specError("spec.cluster.name", "nothing", "the name of a TidbCluster")] : []),
        ...(ref === undefined ? [] : initializerProblems({ metadata, spec }, String(name), cluster?.manifest)),
    ];
    if (all.some(({ severity }) => severity === "error")) {
        throw new ManifestError(all, `TidbInitializer ${String(name)}`);
    }
    const manifest = { metadata: { ...metadata, namespace }, spec } as unknown as InitializerManifest;
    return { manifest, cluster, warnings: all };
}

/** Renders the objects of a checked TidbInitializer. The Job is not suspended: who applies it has no gate that starts it. */
export function initializerObjects({ manifest, cluster }: CheckedInitializer): KubernetesObject[] {
    return Object.values(initializerManifests(manifest, sqlAccess(cluster?.manifest, manifest))) as KubernetesObject[];
}

function taken(map: unknown, is: (field: string) => boolean): Record<string, unknown> {
    return isMap(map) ? Object.fromEntries(Object.entries(map).filter(([field]) => is(field))) : {};
}
