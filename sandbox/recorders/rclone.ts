#!/usr/bin/env node
import { execFileSync } from "node:child_process";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { buffer } from "node:stream/consumers";
import flags from "./flags/rclone.json";
import type { ParsedCall } from "./parseArguments";
import { Refusal, runRecorder, type Work } from "./runRecorder";
import { openStorage, type Place, type Storage, type StoredFile, unlessAbsent } from "./storage";

/** rclone's exit codes (rclone docs, "Exit code"). */
const exitCodes = { noFolder: 3, noFile: 4 } as const;

/** The folder that `remote:path` names. The remote is configured by variables: `RCLONE_CONFIG_<REMOTE>_<SETTING>`. */
function placeOf(target: string): Place {
    const [, remote, where] = /^([\w-]+):(.*)$/s.exec(target) ?? [];
    const setting = (name: string): string | undefined =>
        process.env[`RCLONE_CONFIG_${remote?.toUpperCase()}_${name}`] || undefined;
    const type = setting("TYPE");
    if (type === "local") {
        return { kind: "local", folder: where };
    }
    if (type !== "s3" || setting("ENV_AUTH") !== "true") {
        throw new Error(`the recorder has no remote ${target} of type ${type}, or no key for it in the environment`);
    }
    const [bucket, ...parts] = where.split("/");
    const place = { bucket, prefix: parts.join("/"), endpoint: setting("ENDPOINT"), region: setting("REGION") };
    return { kind: "s3", ...place };
}

/** Opens the target as a folder. A bucket has no folders, so there none is missing. @throws Refusal if there is no such folder */
async function folderOf({ operands: [target] }: ParsedCall): Promise<Storage> {
    const place = placeOf(target);
    if (place.kind === "local" && (await unlessAbsent(fs.stat(place.folder))) === undefined) {
        throw new Refusal("error in ListJSON: directory not found", exitCodes.noFolder);
    }
    return openStorage(place);
}

/** The target as a file: its folder and its name. */
function fileOf({ operands: [target] }: ParsedCall): [Storage, string] {
    return [openStorage(placeOf(path.posix.dirname(target))), path.posix.basename(target)];
}

async function isFile(call: ParsedCall): Promise<boolean> {
    const place = placeOf(call.operands[0]);
    if (place.kind === "local") {
        return (await unlessAbsent(fs.stat(place.folder)))?.isFile() === true;
    }
    const [storage, name] = fileOf(call);
    return place.prefix !== "" && (await storage.read(name)) !== undefined;
}

const list: Work = async (call) => {
    if (await isFile(call)) {
        console.log(path.posix.basename(call.operands[0])); // As in a list of its folder.
        return;
    }
    const { value } = call;
    const depth = value("recursive") ? Number(value("max-depth") ?? Infinity) : 1;
    const all = await (await folderOf(call)).files();
    const files = value("dirs-only") ? [] : all.filter(({ name }) => isIncluded(call, name));
    const folders = new Set(value("files-only") ? [] : all.flatMap(({ name }) => foldersOf(name)));
    const slash = value("dir-slash") === "false" ? "" : "/";
    const isNear = (name: string): boolean => name.split("/").length <= depth;
    const entries = [
        ...files.filter(({ name }) => isNear(name)),
        ...[...folders].filter(isNear).map((folder) => ({ name: folder + slash, writtenAt: 0 })),
    ];
    const columns = ({ name, writtenAt }: StoredFile): string[] =>
        [...(value("format") ?? "p")].map((letter) => (letter === "t" ? String(writtenAt) : name));
    entries
        .sort((one, other) => (one.name < other.name ? -1 : 1))
        .forEach((entry) => console.log(columns(entry).join(value("separator") ?? ";")));
};

function foldersOf(name: string): string[] {
    const parts = name.split("/").slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Whether the filters of a call let a file through. A pattern begins with a slash; `*` is text without a slash, `**` any text, `{{[0-9]+}}` a number. */
function isIncluded({ values }: ParsedCall, name: string): boolean {
    const patterns = values("include").map((text) => {
        if (!/^\/([\w./*-]|\{\{\[0-9\]\+\}\})+$/.test(text)) {
            throw new Error(`the recorder has no pattern such as ${text}`);
        }
        const stars = (found: string): string => (found === "*" ? "[^/]*" : ".*");
        return new RegExp(`^${text.replaceAll(".", "\\.").replace(/\*+/g, stars).replaceAll("{{[0-9]+}}", "[0-9]+")}$`);
    });
    return patterns.length === 0 || patterns.some((one) => one.test(`/${name}`));
}

const works: Readonly<Record<string, Work>> = {
    lsf: list,
    delete: async (call) => {
        const storage = await folderOf(call);
        // rclone compares the files' times with this one, in UTC.
        const until = Date.parse(call.value("min-age") ?? "9999-12-31T00:00:00Z") / 1000;
        for (const { name, writtenAt } of await storage.files()) {
            if (isIncluded(call, name) && writtenAt <= until) {
                await storage.delete(name);
            }
        }
    },
    rmdirs: async (call) => {
        await folderOf(call);
        const place = placeOf(call.operands[0]);
        if (place.kind === "local") {
            execFileSync("find", [place.folder, "-type", "d", "-empty", "-delete"]);
        }
    },
    deletefile: async (call) => {
        const [storage, name] = fileOf(call);
        if (!(await isFile(call))) {
            throw new Refusal(
                `${call.operands[0]} is a directory or doesn't exist: object not found`,
                exitCodes.noFile,
            );
        }
        await storage.delete(name);
    },
    cat: async (call) => {
        const [storage, name] = fileOf(call);
        const content = await storage.read(name);
        if (content === undefined) {
            throw new Refusal("error reading source root directory: directory not found", exitCodes.noFolder);
        }
        process.stdout.write(content.subarray(0, Number(call.value("count") ?? Infinity)));
    },
    rcat: async (call) => {
        const [storage, name] = fileOf(call);
        await storage.write(name, new Uint8Array(await buffer(process.stdin)));
    },
};

/** The recorder in the place of `rclone`: see sandbox/README.md. */
void runRecorder("rclone", flags, (call, halfWay) => works[call.command](call, halfWay));
