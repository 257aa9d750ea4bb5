import { isMap } from "../../plainMap";
import type { BackupManifest, RestoreManifest } from "../spec";
import type { TidbAccessConfig } from "./fields";

/** A Backup that is a dump by Dumpling. */
type DumpManifest = Omit<BackupManifest, "spec"> & { spec: Omit<BackupManifest["spec"], "br"> & { br?: undefined } };

/** A Restore that is a load by TiDB Lightning. */
type LoadManifest = Omit<RestoreManifest, "spec"> & { spec: Omit<RestoreManifest["spec"], "br"> & { br?: undefined } };

/** A Backup or a Restore by SQL. */
export type SqlManifest = DumpManifest | LoadManifest;

/** @returns whether the spec of a Backup or Restore is one by SQL: it says how TiDB is reached, or what Dumpling does, and has no `br`. */
export function isSqlSpec(spec: unknown): spec is SqlManifest["spec"] {
    return (
        isMap(spec) &&
        (spec.br === undefined || spec.br === null) &&
        ["from", "to", "dumpling"].some((field) => spec[field] !== undefined && spec[field] !== null)
    );
}

/** @returns whether a checked manifest is one by SQL. */
export function isSql(manifest: { spec: object }): manifest is SqlManifest {
    return isSqlSpec(manifest.spec);
}

/** The field that says how TiDB is reached. */
export function accessField(kind: string): "from" | "to" {
    return kind === "Backup" ? "from" : "to";
}

/** @returns how TiDB is reached, as the manifest says it. */
export function accessConfigOf({ spec }: SqlManifest): TidbAccessConfig {
    return ("from" in spec ? spec.from : "to" in spec ? spec.to : undefined) ?? {};
}
