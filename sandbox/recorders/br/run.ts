import * as os from "node:os";
import * as path from "node:path";
import { NotRecorded } from "./arguments/findCommand";
import { parseArguments } from "./arguments/parseArguments";
import type { Values } from "./arguments/values";
import { carryOut, type Circumstances } from "./carryOut";
import { BrError } from "./errors";
import { type Log, openLog } from "./log";
import { humanSize, type Summary } from "./subcommands/surroundings";

/** Where the recorder writes, besides its log. */
export interface Outputs {
    out(line: string): void;
    err(line: string): void;
    /** Adds a line to a file of BR's log. */
    append(file: string, line: string): void;
}

/** Runs `br` with the arguments after its name. Returns the exit code. */
export async function runBr(
    args: readonly string[],
    circumstances: Circumstances,
    { out, err, append }: Outputs,
): Promise<number> {
    let log: Log | undefined;
    try {
        const asked = parseArguments(args);
        if (asked.kind === "version") {
            out(versionText(circumstances.brVersion));
            return 0;
        }
        if (asked.kind === "help") {
            out(`Usage:\n  br${asked.path === "" ? "" : ` ${asked.path}`} [command]`);
            return 0;
        }
        log = logOf(asked.values, circumstances, { out, err, append });
        logBeginning(log, asked.name, asked.values, circumstances.brVersion);
        const summary = await carryOut(asked.name, asked.values, log, { ...circumstances, out });
        if (summary !== undefined) {
            logSuccess(log, summary);
        } else if (!["log status", "log truncate", "operator base64ify"].includes(asked.name)) {
            log.info(`${asked.name} success summary`, {}, "collector.go:77");
        }
        return 0;
    } catch (error) {
        if (error instanceof NotRecorded) {
            err(`recorder: ${error.message}`);
            return notRecordedCode;
        }
        if (!(error instanceof BrError)) {
            throw error;
        }
        err(`Error: ${error.message}`);
        // BR logs to the terminal if it ends before it has opened its log.
        (log ?? openLog(out, "info", now(circumstances))).error("br failed", { error: error.message }, "main.go:45");
        if (error.message.includes("ErrRestoreNotFreshCluster")) {
            notFresh.forEach(out);
        }
        return 1;
    }
}

/** The recorder's own exit code for a command that it does not carry out. BR itself has only 0 and 1. */
const notRecordedCode = 70;

const frame = "#######################################################################";
const notFresh = [
    frame,
    "# the target cluster is not fresh, cannot restore.",
    "# you can drop existing databases and tables and start restore again",
    frame,
];

function now({ now: clock }: Circumstances): () => Date {
    return () => new Date(clock());
}

function logOf(values: Values, circumstances: Circumstances, { out, err, append }: Outputs): Log {
    const toTerminal = circumstances.environment.BR_LOG_TO_TERM !== undefined;
    const stamp = new Date(circumstances.now())
        .toISOString()
        .replaceAll(":", ".")
        .replace(/\.\d+Z$/, "Z");
    const file = values.text("log-file") || path.join(os.tmpdir(), `br.log.${stamp}`);
    if (!toTerminal) {
        err(`Detail BR log in ${file} `);
    }
    return openLog(toTerminal ? out : (line) => append(file, line), values.text("log-level"), now(circumstances));
}

function logBeginning(log: Log, name: string, values: Values, brVersion: string): void {
    log.info("Welcome to Backup & Restore (BR)", { "release-version": brVersion }, "info.go:49");
    const given = values.all().map(([flag, value]) => [flag, hidden(flag, value)] as const);
    log.info("arguments", { __command: `br ${name}`, ...Object.fromEntries(given) }, "common.go:936");
}

/** Keys are not logged, neither in their flags nor in the URL of a storage. */
function hidden(flag: string, value: string): string {
    if (flag === "storage" || flag === "full-backup-storage") {
        return value.replace(/\?.*$/s, "");
    }
    return /^(log\.)?crypter\.key$|^master-key$|^azblob\.encryption-key$/.test(flag) ? "<redacted>" : value;
}

function logSuccess(log: Log, { title, tables, bytes, fields }: Summary): void {
    const size = humanSize(bytes);
    log.info(
        `${title} success summary`,
        {
            "total-ranges": tables,
            "ranges-succeed": tables,
            "ranges-failed": 0,
            ...fields,
            "total-kv-size": size,
            [title.includes("Backup") ? "backup-data-size(after-compressed)" : "restore-data-size(after-compressed)"]:
                size,
        },
        "collector.go:77",
    );
}

function versionText(version: string): string {
    return `Release Version: ${version}\nGit Commit Hash: None\nGit Branch: None\nGo Version: None\nUTC Build Time: None\nRace Enabled: false\n`;
}
