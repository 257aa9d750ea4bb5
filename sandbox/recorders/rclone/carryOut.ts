import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { Environment } from "../br/storage/s3Storage";
import type { StoredFile } from "../br/storage/storage";
import { openRemote } from "./openRemote";
import { exitCodes, type RcloneCall, RcloneError } from "./parseCall";

/** Carries a call out, and returns the lines of its output, or its bytes. @param input what it reads from standard input. */
export async function carryOut(
    call: RcloneCall,
    environment: Environment,
    input: () => string,
): Promise<string[] | Buffer> {
    const { command, target } = call;
    switch (command) {
        case "lsf":
            return list(call, environment);
        case "delete": {
            const { storage } = await existing(target, environment);
            const [isTaken, isOld] = [takenBy(call), oldEnough(call)];
            for (const { name } of (await storage.files()).filter((file) => isTaken(file.name) && isOld(file))) {
                await storage.delete(name);
            }
            return [];
        }
        case "rmdirs": {
            const { folder } = await existing(target, environment);
            await (folder === undefined ? undefined : removeEmpty(folder));
            return [];
        }
        case "deletefile": {
            const { storage } = await existing(path.posix.dirname(target), environment);
            const name = path.posix.basename(target);
            if (!(await storage.exists(name))) {
                throw new RcloneError(`${target} is a directory or doesn't exist: object not found`, exitCodes.noFile);
            }
            await storage.delete(name);
            return [];
        }
        case "cat": {
            const { storage } = await existing(path.posix.dirname(target), environment);
            const name = path.posix.basename(target);
            if (!(await storage.exists(name))) {
                throw new RcloneError(
                    "error reading source root directory: directory not found",
                    exitCodes.noDirectory,
                );
            }
            return (await storage.read(name)).subarray(0, Number(call.values("count").at(-1) ?? Infinity));
        }
        case "rcat": {
            const { storage } = await openRemote(path.posix.dirname(target), environment);
            await storage.write(path.posix.basename(target), input());
            return [];
        }
    }
}

/** Opens a folder that must be there. A bucket has no folders: there is nothing in one that is not there. */
async function existing(target: string, environment: Environment): ReturnType<typeof openRemote> {
    const [, where] = target.split(":");
    const isThere = (): Promise<boolean> =>
        fs.access(where).then(
            () => true,
            () => false,
        );
    if (where.startsWith("/") && !(await isThere())) {
        throw new RcloneError("error in ListJSON: directory not found", exitCodes.noDirectory);
    }
    return openRemote(target, environment);
}

/** Whether a target names a file itself, which rclone lists as it would be in its folder. */
async function isFile(target: string, environment: Environment): Promise<boolean> {
    const [, where] = target.split(":");
    if (!/.\/./.test(where)) {
        return false;
    }
    const { folder, storage } = await openRemote(path.posix.dirname(target), environment);
    const name = path.posix.basename(target);
    return folder === undefined
        ? storage.exists(name)
        : fs.stat(path.join(folder, name)).then(
              (found) => found.isFile(),
              () => false,
          );
}

async function list(call: RcloneCall, environment: Environment): Promise<string[]> {
    const one = (flag: string): string | undefined => call.values(flag).at(-1);
    if (await isFile(call.target, environment)) {
        return [path.posix.basename(call.target)];
    }
    const { storage } = await existing(call.target, environment);
    const format = one("format") ?? "p";
    if (format.includes("t") && one("time-format") !== "unix") {
        throw new RcloneError("the recorder writes times with --time-format unix only", exitCodes.failed);
    }
    const depth = call.isOn("recursive") ? Number(one("max-depth") ?? Infinity) : 1;
    const isTaken = takenBy(call);
    const all = await storage.files();
    const files = all.filter(({ name }) => name.split("/").length <= depth && isTaken(name));
    const folders = new Set(
        all.flatMap(({ name }) => foldersOf(name)).filter((name) => name.split("/").length <= depth),
    );
    const shown: StoredFile[] = [
        ...(call.isOn("dirs-only") ? [] : files),
        ...(call.isOn("files-only")
            ? []
            : [...folders].map((name) => ({ name: one("dir-slash") === "false" ? name : `${name}/`, writtenAt: 0 }))),
    ];
    const part = ({ name, writtenAt }: StoredFile): Record<string, string> => ({ p: name, t: String(writtenAt) });
    return shown
        .sort((first, second) => (first.name < second.name ? -1 : 1))
        .map((entry) => [...format].map((letter) => part(entry)[letter]).join(one("separator") ?? ";"));
}

function foldersOf(name: string): string[] {
    const parts = name.split("/").slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Which files the filters of a call let through. */
function takenBy(call: RcloneCall): (name: string) => boolean {
    const includes = call.values("include").map(patternOf);
    return (name) => includes.length === 0 || includes.some((one) => one.test(`/${name}`));
}

/** Whether a file is not newer than the time that `--min-age` names. rclone compares the files' times to the nanosecond. */
function oldEnough(call: RcloneCall): (file: StoredFile) => boolean {
    const until = call.values("min-age").at(-1);
    if (until === undefined) {
        return () => true;
    }
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(until) || !call.isOn("use-server-modtime")) {
        throw new RcloneError(
            "the recorder knows --min-age with a time in UTC and --use-server-modtime only",
            exitCodes.failed,
        );
    }
    return ({ writtenAt }) => writtenAt <= Date.parse(until) / 1000;
}

/** A pattern of rclone that begins with a slash; `*` is any text without a slash, `**` any text, and `{{[0-9]+}}` a number. */
function patternOf(text: string): RegExp {
    if (!/^\/([\w./*-]|\{\{\[0-9\]\+\}\})+$/.test(text)) {
        throw new RcloneError(`the recorder knows no pattern such as ${text}`, exitCodes.failed);
    }
    const body = text
        .replaceAll(".", "\\.")
        .replace(/\*+/g, (stars) => (stars === "*" ? "[^/]*" : ".*"))
        .replaceAll("{{[0-9]+}}", "[0-9]+");
    return new RegExp(`^${body}$`);
}

async function removeEmpty(folder: string): Promise<void> {
    for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) {
            await removeEmpty(path.join(folder, entry.name));
        }
    }
    if ((await fs.readdir(folder)).length === 0) {
        await fs.rmdir(folder);
    }
}
