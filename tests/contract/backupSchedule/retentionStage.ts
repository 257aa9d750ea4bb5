import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { writeRcloneRecorder } from "pulumi-tidb-sandbox";
import { startFromOneFile } from "../../support/inOneFile";
import { type ContainerRun, runContainer } from "../../support/recorders/runContainer";
import { containersOf, type PlayedBackup, writeBackup } from "./scheduleStage";

const isFound = (command: string): boolean => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;

/** The shell that runs retention: `dash` if it is installed. */
export const shell = isFound("dash") ? "dash" : "sh";

const real = process.env.PULUMI_TIDB_RCLONE ?? (isFound("rclone") ? "rclone" : undefined);

/** The programs in the place of rclone: the recorder, and a real one if `PULUMI_TIDB_RCLONE` or PATH has it. */
export const rclones = [undefined, ...(real === undefined ? [] : [real])];

/** The kinds of storage, by rclone's name of the type. All but a volume have no empty folders. */
export const storageKinds = ["local", "s3", "google cloud storage", "azureblob"] as const;

/** What retention meets. */
interface RetentionOptions {
    /** What each call of rclone does. Default: it calls rclone. */
    readonly rcloneLines?: string;
    /** For which kind of storage the script runs; the files are in a folder. Default: a volume. */
    readonly kind?: (typeof storageKinds)[number];
    /** The content of `backupmeta`, by backup. Default: that of the own cluster. */
    readonly metas?: Readonly<Record<string, Buffer>>;
}

/** Runs retention on a storage in a folder. */
export interface RetentionStage {
    readonly folder: string;
    /** Plays a storage with backups, runs retention after the backup `run`, and returns what is left. */
    keep(
        limit: object,
        backups: Readonly<Record<string, PlayedBackup>>,
        run?: string,
        options?: RetentionOptions,
    ): Promise<ContainerRun & { left: string[] }>;
    end(): void;
}

const hasFile = (folder: string): boolean =>
    fs.readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());

/** @param rclone Undefined for the recorder. */
export function openRetention(rclone: string | undefined): RetentionStage {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-retention-"));
    const programs = path.join(folder, "bin");
    fs.mkdirSync(programs);
    const file = rclone ?? writeRcloneRecorder(path.join(folder, "recorder")).file;
    if (rclone === undefined) {
        startFromOneFile(file);
    }
    fs.writeFileSync(path.join(programs, "rclone"), `#!/bin/sh\nexec ${file} "$@"\n`, { mode: 0o755 });
    return { folder, keep, end: () => fs.rmSync(folder, { recursive: true }) };

    async function keep(
        limit: object,
        backups: Readonly<Record<string, PlayedBackup>>,
        run = Object.keys(backups).at(-1),
        { rcloneLines = 'rclone "$@"', kind = "local", metas = {} }: RetentionOptions = {},
    ): Promise<ContainerRun & { left: string[] }> {
        const storage = path.join(folder, "storage");
        fs.rmSync(storage, { recursive: true, force: true });
        Object.entries(backups).forEach(([one, files]) =>
            writeBackup(path.join(storage, "nightly", one), files, metas[one]),
        );
        fs.writeFileSync(path.join(folder, "name"), `${run}\n`);
        const volume = { name: "nfs" };
        const local = { volume, volumeMount: { ...volume, mountPath: storage }, prefix: "nightly" };
        const [, retention] = containersOf({ ...limit, backupTemplate: { br: { cluster: "basic" }, local } });
        const wrapped = path.join(folder, "wrapped");
        fs.mkdirSync(wrapped, { recursive: true });
        const lines = `#!/bin/sh\nexport RCLONE_CONFIG_STORE_TYPE=local\nrclone() { ${programs}/rclone "$@"; }\n${rcloneLines}\n`;
        fs.writeFileSync(path.join(wrapped, "rclone"), lines, { mode: 0o755 });
        const ended = await runContainer(shell, retention, {
            folder,
            programs: wrapped,
            variables: { RCLONE_CONFIG_STORE_TYPE: kind },
        });
        const left = fs
            .readdirSync(path.join(storage, "nightly"))
            .filter((one) => kind === "local" || hasFile(path.join(storage, "nightly", one)));
        return { ...ended, left: left.sort() };
    }
}
