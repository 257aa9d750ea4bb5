import * as fs from "node:fs";
import { brError, type BrError, usageError } from "../errors";
import { checkRules } from "../cluster/tableFilter";
import { tsoOf } from "./timestamps";
import type { Values } from "./values";

const keyLengths: Readonly<Record<string, [string, number]>> = {
    "aes128-ctr": ["AES-128", 16],
    "aes192-ctr": ["AES-192", 24],
    "aes256-ctr": ["AES-256", 32],
};

/**
 * Refuses the values that BR refuses before it talks to anyone (`ParseFromFlags` in br/pkg/task/common.go, backup.go and
 * restore.go, v8.5), in BR's order and with its words.
 */
export function checkArguments(command: string, values: Values): void {
    if (command.startsWith("backup ")) {
        checkBackup(values);
    }
    checkChoice(values);
    const interval = values.text("switch-mode-interval");
    if (!/[1-9]/.test(interval) || interval.startsWith("-")) {
        throw refusal(`--switch-mode-interval must be positive, ${inGoForm(interval)} is not allowed`);
    }
    if (values.list("pd").length === 0) {
        throw refusal("must provide at least one PD server address");
    }
    checkCipher(values, "crypter");
    checkCipher(values, "log.crypter");
    pdAddresses(values);
    const label = values.has("replica-read-label") ? values.text("replica-read-label") : "";
    if (label !== "" && label.split(":").length !== 2) {
        throw refusal(`invalid replica read label '${label}'`);
    }
    if (values.has("type") && !["kv", "aws-ebs"].includes(values.text("type"))) {
        throw usageError("invalid full backup type");
    }
    if (values.has("volume-type") && !["gp3", "io1", "io2"].includes(values.text("volume-type"))) {
        throw usageError(`invalid volume type: ${values.text("volume-type")}`);
    }
    checkLog(command, values);
}

/** Checks the flags of log backups, and of a restore from one (stream.go and restore.go). */
function checkLog(command: string, values: Values): void {
    if (command === "restore point" && values.text("start-ts") !== "" && values.text("full-backup-storage") !== "") {
        throw refusal("start-ts and full-backup-storage are mutually exclusive");
    }
    if (command === "log truncate" && values.text("until") === "") {
        throw refusal("please provide the `--until` ts");
    }
    for (const flag of ["until", "restored-ts", "start-ts"].filter((name) => values.has(name))) {
        tsoOf(values.text(flag));
    }
    if (values.has("task-name") && values.text("task-name") === "") {
        throw refusal("Miss parameters task-name");
    }
}

/** Writes a duration of one unit as Go does: `-5m` is `-5m0s`. */
function inGoForm(duration: string): string {
    const [, amount, unit] = /^(-?\d+)([hm])$/.exec(duration) ?? [];
    return unit === undefined ? duration : `${amount}${unit === "h" ? "h0m0s" : "m0s"}`;
}

function checkBackup(values: Values): void {
    if (values.text("timeago").startsWith("-")) {
        throw refusal("negative timeago is not allowed");
    }
    const compression = values.text("compression");
    if (!["lz4", "snappy", "zstd"].includes(compression)) {
        throw refusal(`invalid compression type '${compression}'`);
    }
    const time = values.text("backupts");
    if (time !== "" && !/^\d+$/.test(time) && Number.isNaN(Date.parse(time))) {
        throw usageError(`[types:1292]Incorrect datetime value: '${time}'`);
    }
}

function checkChoice(values: Values): void {
    if (values.has("filter")) {
        checkRules(values.list("filter"));
    }
    if (values.has("db") && values.text("db") === "") {
        throw refusal("empty database name is not allowed");
    }
    if (values.has("table") && values.text("table") === "") {
        throw refusal("empty table name is not allowed");
    }
}

function checkCipher(values: Values, prefix: string): void {
    const method = values.text(`${prefix}.method`);
    const known = method === method.toUpperCase() || method === method.toLowerCase() ? method.toLowerCase() : "";
    if (known === "plaintext") {
        return;
    }
    const length = keyLengths[known];
    if (length === undefined) {
        throw refusal(`invalid crypter method '${method}'`);
    }
    const [name, expected] = length;
    const [key, file] = [values.text(`${prefix}.key`), values.text(`${prefix}.key-file`)];
    if ((key === "") === (file === "")) {
        throw refusal("exactly one of cipher key or keyfile path should be provided");
    }
    const digits = key === "" ? readKey(file) : key;
    if (digits.length % 2 === 1 || /[^0-9a-f]/i.test(digits)) {
        throw refusal("cipher key must be a valid hexadecimal string");
    }
    if (digits.length / 2 !== expected) {
        throw refusal(`${name} key length mismatch: expected ${expected}, got ${digits.length / 2}`);
    }
}

function readKey(file: string): string {
    try {
        return fs.readFileSync(file, "utf8").replace(/\n$/, "");
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
            throw error;
        }
        throw usageError(`failed to read cipher file: open ${file}: no such file or directory`);
    }
}

/** The addresses of PD without a scheme, which must go with TLS. */
export function pdAddresses(values: Values): string[] {
    const tls = values.text("ca") !== "";
    return values.list("pd").map((address) => {
        if (address.startsWith("http://") && tls) {
            throw refusal("pd url starts with http while TLS enabled");
        }
        if (address.startsWith("https://") && !tls) {
            throw refusal("pd url starts with https while TLS disabled");
        }
        return address.replace(/^https?:\/\//, "");
    });
}

function refusal(about: string): BrError {
    return usageError(brError("invalidArgument", about).message);
}
