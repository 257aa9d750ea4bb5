import { specError, type SpecProblem } from "../../problem";
import { shown } from "../../validation/path";
import { filterProblems } from "../filterRules";
import { optionProblems, type RefusedOption } from "../optionRules";
import { secretProblems } from "../secretRules";
import type { BrKind } from "../spec";
import { accessConfigOf, accessField, type SqlManifest } from "./spec";

/** Short flags of Dumpling without a value, which others may follow in one argument (pingcap/tidb dumpling/export/config.go). */
const switches = "[dmW]*";

/** Dumpling takes the last of two flags. */
const dumplingOptions: readonly RefusedOption[] = [
    [new RegExp(`^(--(output|host|port|user|ca|cert|key)(=|$)|-${switches}[ohPu])`), "no flag that another field sets"],
    [new RegExp(`^(--password(=|$)|-${switches}p)`), "no password; `from.secretName` has it"],
    [
        /^--(s3|gcs|azblob)\.(endpoint|credentials-file|account-name|account-key|sas-token|encryption-key)(=|$)/,
        "no storage and no key; the fields of the storage have them",
    ],
    [new RegExp(`^(--filter(=|$)|-${switches}f)`), "spec.tableFilter instead"],
    [/^--status-addr(=|$)/, "no status address; it serves the command line with the password"],
    [new RegExp(`^(--(version|help)(=|$)|-${switches}V)`), "no flag with which Dumpling succeeds without a dump"],
];

/** Checks what the schema cannot express of a dump or a load. */
export function sqlRuleProblems(kind: BrKind, manifest: SqlManifest): SpecProblem[] {
    const { spec } = manifest;
    const field = `spec.${accessField(kind)}`;
    const { host, secretName, tlsClientSecretName } = accessConfigOf(manifest);
    const { options, tableFilter } = ("dumpling" in spec ? spec.dumpling : undefined) ?? {};
    const secrets = { secretName, tlsClientSecretName };
    return [
        ...(!host || /^[\w.:[\]-]+$/.test(host)
            ? []
            : [specError(`${field}.host`, shown(host), "a host name or an address")]),
        ...Object.entries(secrets).flatMap(([name, value]) => secretProblems(`${field}.${name}`, value)),
        ...filterProblems("spec.tableFilter", spec.tableFilter),
        ...filterProblems("spec.dumpling.tableFilter", tableFilter),
        ...(spec.tableFilter?.length && tableFilter?.length
            ? [specError("spec.dumpling.tableFilter", shown(tableFilter), "nothing beside spec.tableFilter")]
            : []),
        ...optionProblems("spec.dumpling.options", options ?? [], dumplingOptions),
        ...(kind === "Backup" ? placeProblems(manifest) : []),
    ];
}

/** Dumpling writes into a folder with other files too, and TiDB Lightning reads all that it finds. */
function placeProblems({ spec: { s3, gcs, azblob, local } }: SqlManifest): SpecProblem[] {
    const storage = { s3, gcs, azblob, local };
    return Object.entries(storage).flatMap(([name, one]) =>
        one === undefined || one.prefix?.replaceAll("/", "")
            ? []
            : [specError(`spec.${name}.prefix`, "nothing", "a path in which nothing but this dump is")],
    );
}
