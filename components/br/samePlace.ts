import { posix } from "node:path";
import { stableDigest } from "../kubernetes/templateRevision";
import { specError } from "../problem";
import { shown } from "../validation/path";
import type { StorageProvider } from "./jobSpec";
import type { BackupManifest } from "./spec";
import { isSql, type SqlManifest } from "./sql/spec";
import { storageOf } from "./storages";

/** Where a backup writes, as far as two of them can be compared. */
export interface BackupPlace {
    /** Whose it is, for messages: `Backup nightly`. */
    readonly of: string;
    /** The storage without the path: two with the same text are the same. */
    readonly storage: string;
    /** The path in it, with slashes only between its parts. */
    readonly path: string;
    readonly isDump: boolean;
    /** What is done there. Default: a backup is written. */
    readonly use?: "reads from" | "writes a log to";
    /** Whether these are many backups, each in a folder of its own in the path. */
    readonly hasFolders: boolean;
    /** The place for messages, without secrets: `s3://backups/full`. */
    readonly url: string;
    /** The field with the path, and its value. */
    readonly prefix: { readonly field: string; readonly value: string | undefined };
    /** Two with the same text are surely one storage, if its name is unique everywhere, or if they are seen from one place. */
    readonly sure: { readonly text: string; readonly everywhere: boolean };
    /** From where the storage is seen: the Kubernetes provider, and the namespace of the cluster, whose TiKV writes there too. Default: not known. */
    readonly seenFrom?: { readonly kubernetes: object; readonly namespace: string };
}

/**
 * @returns where a checked Backup writes; undefined if that is not known without its namespace.
 * @param of whose it is, for messages.
 * @param namespace that of its Job. Undefined if it is not known yet.
 * @param foldersOf the field with the spec of a backup that is made again and again, each time in a folder of its own. Undefined for any other.
 */
export function placeOf(
    of: string,
    manifest: BackupManifest | SqlManifest,
    namespace: string | undefined,
    foldersOf?: string,
): BackupPlace | undefined {
    const { spec } = manifest;
    const { azblob, local } = spec;
    const isOfNamespace = local?.volume.persistentVolumeClaim !== undefined || (azblob && !azblob.storageAccount);
    // A volume of a pod, or of its node, is not known to be shared.
    const isOfPod = ["emptyDir", "ephemeral", "csi", "hostPath"].some((source) =>
        Object.hasOwn(local?.volume ?? {}, source),
    );
    if ((isOfNamespace && namespace === undefined) || isOfPod) {
        return undefined;
    }
    const [provider, value] = prefixOf(spec);
    const { url } = storageOf(spec);
    return {
        of,
        storage: `${isOfNamespace ? namespace : ""} ${storageText(spec, url)}`,
        path: pathIn(spec, url),
        isDump: isSql(manifest),
        hasFolders: foldersOf !== undefined,
        url,
        prefix: { field: `${foldersOf ?? "spec"}.${provider}.prefix`, value },
        sure: sureText(spec, namespace),
    };
}

/** Names of buckets at AWS and Google are unique, and so are those of accounts at Azure. Of others the same words with the same keys are one storage. */
function sureText(spec: (BackupManifest | SqlManifest)["spec"], namespace: string | undefined): BackupPlace["sure"] {
    const { s3, gcs, azblob, local, env, serviceAccount } = spec;
    const options = "br" in spec ? spec.br?.options : undefined;
    const everywhere =
        !env?.length &&
        !options?.length &&
        ((s3?.provider === "aws" && !s3.endpoint) || gcs !== undefined || Boolean(azblob?.storageAccount));
    const words = { ...s3, ...gcs, ...azblob, ...local, prefix: undefined };
    const text = everywhere ? `region ${s3?.region}` : stableDigest([words, env, options, serviceAccount, namespace]);
    return { text, everywhere };
}

function prefixOf(spec: StorageProvider): [string, string | undefined] {
    const [name] = (["s3", "gcs", "azblob", "local"] as const).filter((one) => spec[one] !== undefined);
    return [name, spec[name]?.prefix];
}

/** What tells one storage from another: of two texts that differ it is not known whether they lead to the same one. */
function storageText({ s3, azblob, local }: StorageProvider, url: string): string {
    if (local) {
        return stableDigest({ ...local.volume, name: "" });
    }
    const account = azblob?.storageAccount || azblob?.secretName;
    return `${url.split("://")[0]} ${trimmed(s3?.endpoint ?? account ?? "")}`;
}

function pathIn({ local }: StorageProvider, url: string): string {
    const inVolume = local && posix.join("/", (local.volumeMount.subPath as string) ?? "", local.prefix ?? "");
    return trimmed(inVolume ?? url.split("://")[1]);
}

function trimmed(text: string): string {
    return text.replace(/^\/+|\/+$/g, "");
}

/** Two backups of a program in one place. */
export interface PlaceClash {
    readonly words: string;
    /** Whether they certainly write into one path. Otherwise the storages may differ, or the later one is refused by BR. */
    readonly isSure: boolean;
}

/**
 * Checks a backup against the others of its program. BR refuses a path with the `backupmeta` of another backup, goes on with what another one has left
 * half done, and takes its lock for that of a log that is to be continued (pingcap/tidb br/pkg/backup/client.go, br/pkg/task/stream.go). With a lock of its
 * own it refuses files of others in the path and below it, too. TiDB Lightning loads every dump in a path and below it.
 *
 * @returns the first clash, a sure one before others; undefined if there is none.
 */
export function samePlace(place: BackupPlace, others: readonly BackupPlace[]): PlaceClash | undefined {
    const all = others.filter((one) => one.storage === place.storage && doClash(one, place));
    const sure = all.find((one) => isSurelyOne(one, place));
    const other = sure ?? all.at(0);
    if (other === undefined) {
        return undefined;
    }
    const { field, value } = place.prefix;
    const why =
        place.isDump && other.isDump
            ? "TiDB Lightning would load both dumps"
            : "a backup must be the only thing in its path";
    const found = value === undefined || value === "" ? "nothing" : shown(value);
    const expected = `another path than that of ${other.of} in the same program, which ${other.use ?? "writes to"} ${other.url}`;
    return { words: specError(field, found, expected, why).message, isSure: sure !== undefined };
}

/** Two that certainly write into one path: at once, nothing tells their files apart, and the later one writes over the earlier one's. */
function isSurelyOne(one: BackupPlace, other: BackupPlace): boolean {
    return (
        !one.hasFolders &&
        !other.hasFolders &&
        one.path === other.path &&
        one.sure.text === other.sure.text &&
        (one.sure.everywhere ||
            (one.seenFrom !== undefined &&
                one.seenFrom.kubernetes === other.seenFrom?.kubernetes &&
                one.seenFrom.namespace === other.seenFrom.namespace))
    );
}

/**
 * @returns why a dump must not be loaded from a place: an earlier attempt of a Backup of the program has written there, or below it, and TiDB Lightning loads
 * half a dump without an error. Undefined if none certainly has.
 */
export function halfDump(from: BackupPlace, earlier: readonly BackupPlace[]): string | undefined {
    const other = earlier.find(
        (one) =>
            one.storage === from.storage &&
            isWithin(one, from) &&
            one.sure.text === from.sure.text &&
            (one.sure.everywhere || one.seenFrom?.kubernetes === from.seenFrom?.kubernetes),
    );
    const { field, value } = from.prefix;
    return (
        other &&
        specError(
            field,
            shown(value),
            `the prefix of the last attempt of ${other.of}, which its \`url\` says`,
            `an earlier attempt wrote to ${other.url}, and half a dump would be loaded as a whole one`,
        ).message
    );
}

/** Folders of their own are apart from each other, and from a backup beside them. They are in the way of one that writes into the path above them. */
function doClash(one: BackupPlace, other: BackupPlace): boolean {
    if (one.hasFolders || other.hasFolders) {
        return one.hasFolders !== other.hasFolders && (one.hasFolders ? isWithin(one, other) : isWithin(other, one));
    }
    return one.path === other.path || (one.isDump && other.isDump && (isWithin(one, other) || isWithin(other, one)));
}

function isWithin(inner: BackupPlace, outer: BackupPlace): boolean {
    return outer.path === "" || `${inner.path}/`.startsWith(`${outer.path}/`);
}

/** @returns what to know of a backup without a path: that it fills the root of its storage. */
export function rootCaution({ local, ...spec }: StorageProvider): string {
    const [name, prefix] = prefixOf({ local, ...spec });
    const { url } = storageOf({ local, ...spec });
    const isRoot = local
        ? trimmed(prefix ?? "") === "" && !local.volumeMount.subPath
        : !trimmed(url.split("://")[1]).includes("/");
    return isRoot
        ? `\`spec.${name}.prefix\` is not set, so the backup fills the root of ${url}: BR refuses every further backup there, and to delete this one is to pick its files from all others. Set it to a path of its own before the first run, such as 2026-12-01`
        : "";
}
