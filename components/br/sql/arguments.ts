import { caKey, certificateKey, privateKeyKey } from "../../kubernetes/tls";
import { flags } from "../arguments";
import { storageOf } from "../storages";
import type { SqlAccess } from "./access";
import type { SqlManifest } from "./spec";

/** The volume with the client certificate, and where it is in the container (tidb-operator pkg/util/util.go). */
export const sqlTlsVolume = "tidb-client-tls";
export const sqlTlsFolder = "/var/lib/tidb-client-tls";

/** The options that tidb-operator gives Dumpling unless the manifest has some (cmd/backup-manager/app/util/util.go). */
const defaultOptions = ["--threads=16", "--rows=10000"];

/**
 * Returns the arguments of `dumpling` after the place of the dump and the password, which the script adds (tidb-operator
 * cmd/backup-manager/app/export/export.go). Its status address would show them: it serves the command line.
 */
export function dumpArguments({ spec }: SqlManifest, { host, port, user, tlsSecretName }: SqlAccess): string[] {
    const { options, tableFilter } = ("dumpling" in spec ? spec.dumpling : undefined) ?? {};
    const filters = spec.tableFilter?.length ? spec.tableFilter : (tableFilter ?? []);
    const [, ...settings] = storageOf(spec).args;
    return [
        ...flags({ host, port, user }),
        "--status-addr=",
        ...settings,
        ...filters.flatMap((filter) => ["--filter", inList(filter)]),
        ...tls(tlsSecretName),
        ...(options?.length ? options : defaultOptions),
    ];
}

/**
 * Returns the arguments of `tidb-lightning` after the files of the dump and the configuration with the password (tidb-operator
 * cmd/backup-manager/app/import/import.go).
 */
export function loadArguments({ spec }: SqlManifest, { host, port, user, tlsSecretName }: SqlAccess): string[] {
    return [
        "--backend=tidb",
        "--server-mode=false",
        "--log-file=-",
        ...flags({ "tidb-user": user, "tidb-host": host, "tidb-port": port }),
        ...(spec.tableFilter ?? []).flatMap((filter) => ["-f", filter]),
        ...tls(tlsSecretName),
    ];
}

/** @returns where Dumpling writes: a URL, whose other settings are flags. */
export function dumpUrl({ spec }: SqlManifest): string {
    return storageOf(spec).args[0].replace(/^--storage=/, "");
}

/** @returns where TiDB Lightning reads. It has no flags for a storage: what are flags elsewhere are parameters of the URL (pingcap/tidb br/pkg/storage/parse.go). */
export function loadUrl(manifest: SqlManifest): string {
    const url = dumpUrl(manifest);
    const parameters = storageOf(manifest.spec)
        .args.slice(1)
        .map((flag) => {
            const [, name, value] = /^--\w+\.([^=]+)=(.*)$/s.exec(flag) ?? [];
            return `${name}=${encodeURIComponent(value)}`;
        });
    const all = parameters.join("&");
    return all === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${all}`;
}

/** Dumpling reads the value of `--filter` as a line of CSV. */
function inList(filter: string): string {
    return /[",\n]/.test(filter) ? `"${filter.replaceAll('"', '""')}"` : filter;
}

function tls(secretName: string | undefined): string[] {
    return secretName === undefined
        ? []
        : flags({
              ca: `${sqlTlsFolder}/${caKey}`,
              cert: `${sqlTlsFolder}/${certificateKey}`,
              key: `${sqlTlsFolder}/${privateKeyKey}`,
          });
}
