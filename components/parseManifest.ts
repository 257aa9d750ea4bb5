import { isBrManifest } from "./br/checkBr";
import { isScheduleManifest } from "./br/schedule/checkSchedule";
import type { BrKind } from "./br/spec";
import { apiVersion, kind, kindProblems } from "./checkManifest";
import { chosen, documentName, objectsOf } from "./manifestObjects";
import { insteadOf, insteadOfVersion2 } from "./otherKinds";
import { isOwnName, settingsOfChart } from "./ownObjects";
import { isMap } from "./plainMap";
import { ManifestError, specError, type SpecProblem, visible } from "./problem";
import type { TidbClusterManifest } from "./spec";
import { shown } from "./validation/path";
import { yamlDocuments } from "./yamlDocuments";

/** The most keys of a map that a message names. */
const maxKeys = 4;

/** A Backup, a Restore, a CompactBackup or a BackupSchedule as a text has it, unchecked. */
export type BrDocument = Record<string, unknown> & { readonly kind: BrKind | "BackupSchedule" };

/**
 * The clusters of a text, in order, and at least one unless there is another object that is asked for, and warnings about objects
 * of other kinds.
 */
export interface ParsedManifests {
    readonly clusters: TidbClusterManifest[];
    /** Objects of the kind TidbInitializer, which are not checked yet. Empty if they are not asked for. */
    readonly initializers: Record<string, unknown>[];
    /** Backups, Restores, CompactBackups and BackupSchedules, which are not checked yet. Empty if they are not asked for. */
    readonly work: BrDocument[];
    /** All clusters of the text, also if `only` names something else. */
    readonly around: TidbClusterManifest[];
    /** The TidbInitializers, Backups and the like that `only` leaves out, as `KIND/NAME`. Empty if they are not asked for. */
    readonly leftOut: string[];
    readonly warnings: SpecProblem[];
}

/** A YAML or JSON text, which may have several documents. */
export interface ManifestText {
    readonly text: string;
    /** Source of the text, for messages: the name of a file. */
    readonly source: string;
}

/**
 * Reads the TidbClusters of texts, such as those of several files.
 *
 * @param source Source of all of them, for messages.
 * @param only The only object to read, as `KIND/NAME`. Default: every TidbCluster.
 * @param option How the user gives it: `only` or `--only`.
 * @param withWork Whether TidbInitializers, Backups, Restores, CompactBackups and BackupSchedules are asked for, too.
 * @throws ManifestError if the text is not valid YAML, if it has no TidbCluster, or if `only` does not name one.
 */
export function parseManifests(
    texts: string | readonly ManifestText[],
    source: string,
    only?: string,
    option = "only",
    withWork = false,
): ParsedManifests {
    const all = typeof texts === "string" ? [{ text: texts, source }] : texts;
    const found = objectsOf(all.flatMap((one) => yamlDocuments(one.text, one.source)));
    const objects = only === undefined ? found : chosen(found, only, source, option);
    const clusters = objects.filter(isCluster);
    const initializers = withWork ? objects.filter(isInitializer) : [];
    const work = withWork ? objects.filter(isWork) : [];
    const taken: unknown[] = [...initializers, ...work];
    const others = objects.filter((object) => !isCluster(object) && !taken.includes(object));
    const problems =
        objects.length === 1 && taken.length === 0
            ? shapeProblems(objects[0])
            : [
                  ...(clusters.length === 0 && taken.length === 0 ? [noCluster(objects)] : []),
                  ...clusters.flatMap(shapeProblems),
                  ...others.flatMap((object) => settingsOfChart(object, clusters)),
                  ...others.filter((object) => !isMap(object)).flatMap(shapeProblems),
                  ...duplicates(clusters),
                  ...duplicates(work),
              ];
    if (problems.length > 0) {
        throw new ManifestError(problems, source);
    }
    return {
        clusters: clusters as unknown as TidbClusterManifest[],
        initializers,
        work,
        around: found.filter(isCluster) as unknown as TidbClusterManifest[],
        leftOut: found
            .filter((object) => withWork && (isInitializer(object) || isWork(object)) && !objects.includes(object))
            .map(documentName),
        warnings: others.map((object) => ignored(object, clusters)),
    };
}

/**
 * Returns the cluster if there is just one.
 *
 * @param option Returns what the user writes to choose a cluster by its name.
 * @throws ManifestError that names the clusters if there are several.
 */
export function singleCluster(
    clusters: readonly TidbClusterManifest[],
    source: string,
    option: (name: string) => string,
): TidbClusterManifest {
    if (clusters.length > 1) {
        const names = clusters.map(documentName);
        const next = `choose one with ${option(names[0])}`;
        throw new ManifestError(
            [specError("", `${clusters.length} clusters (${names.join(", ")})`, "one TidbCluster", next)],
            source,
        );
    }
    return clusters[0];
}

/** An object without a kind counts as a cluster: programs and tests leave it out. */
function isCluster(object: unknown): object is Record<string, unknown> {
    return isMap(object) && (object.kind === undefined || object.kind === "TidbCluster");
}

function isWork(object: unknown): object is BrDocument {
    return isBrManifest(object) || isScheduleManifest(object);
}

function isInitializer(object: unknown): object is Record<string, unknown> {
    return isMap(object) && object.kind === "TidbInitializer";
}

/** Returns why an object is not a TidbCluster; empty if it is one. */
function shapeProblems(object: unknown): SpecProblem[] {
    const marks = ["kind", "apiVersion", "spec"];
    if (!isMap(object) || marks.some((key) => Object.hasOwn(object, key))) {
        return kindProblems(object);
    }
    // Only its kind is wrong: what is reported about its fields would not help.
    const expected = `a TidbCluster, with apiVersion ${apiVersion}, kind ${kind}, metadata and spec`;
    return [specError("", keysOf(object), expected)];
}

function keysOf(object: Record<string, unknown>): string {
    const keys = Object.keys(object);
    const others = keys.length - maxKeys;
    const list = keys.slice(0, maxKeys).map(shown).join(", ");
    return keys.length === 0 ? "an empty map" : `a map with ${list}${others > 0 ? ` and ${others} more` : ""}`;
}

function noCluster(objects: readonly unknown[]): SpecProblem {
    return objects.length === 0
        ? specError("", "no document", "a TidbCluster")
        : specError(
              "",
              `${objects.length} documents (${objects.map(documentName).join(", ")})`,
              "a TidbCluster",
              objects.filter(isMap).flatMap((object) => insteadOfVersion2(object) ?? [])[0],
          );
}

/** Two clusters with the same name and namespace have the same objects, and so have two Backups. */
function duplicates(clusters: readonly Record<string, unknown>[]): SpecProblem[] {
    const keys = clusters.map((cluster) => {
        const { name, namespace } = isMap(cluster.metadata) ? cluster.metadata : {};
        return JSON.stringify([cluster.kind ?? kind, name, namespace ?? "default"]);
    });
    return clusters
        .filter((_, index) => keys.indexOf(keys[index]) < index)
        .map((cluster) => specError("", `a second ${documentName(cluster)}`, "each cluster once"));
}

function ignored(object: unknown, clusters: readonly Record<string, unknown>[]): SpecProblem {
    const instead = isOwnName(object, clusters)
        ? "this package makes an object of this name itself, so do not create it"
        : insteadOf(object as Record<string, unknown>);
    const found = documentName(object);
    const message = visible(`${found} is ignored: ${instead}`);
    return { field: "", found, expected: "a TidbCluster", message, severity: "warning" };
}
