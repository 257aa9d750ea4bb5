import * as fs from "node:fs/promises";
import * as path from "node:path";
import { randomUUID } from "node:crypto";
import { BrError } from "../errors";
import type { LocalPlace } from "./storageUrl";
import type { Storage } from "./storage";

const words: Readonly<Record<string, string>> = {
    ENOENT: "no such file or directory",
    EACCES: "permission denied",
    ENOSPC: "no space left on device",
    EROFS: "read-only file system",
    ENOTDIR: "not a directory",
};

/** Makes a storage in a folder, and the folder if there is none. */
export async function openLocal(place: LocalPlace): Promise<Storage> {
    const { folder } = place;
    await inGoWords("mkdir", folder, () => fs.mkdir(folder, { recursive: true }));
    const fileOf = (name: string): string => path.join(folder, name);
    const list = async (): Promise<string[]> => {
        const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
        return entries
            .filter((entry) => entry.isFile())
            .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
            .sort();
    };
    return {
        uri: `file://${folder}`,
        exists: async (name) => {
            const entries = await fs.readdir(path.dirname(fileOf(name))).catch(ifAbsent<string[]>([]));
            return entries.includes(path.basename(name));
        },
        read: (name) => inGoWords("open", fileOf(name), () => fs.readFile(fileOf(name))),
        write: async (name, content) => {
            const partial = `${fileOf(name)}.tmp.${randomUUID()}`;
            await inGoWords("open", partial, async () => {
                await fs.mkdir(path.dirname(partial), { recursive: true });
                await fs.writeFile(partial, content);
                await fs.rename(partial, fileOf(name));
            });
        },
        delete: async (name) => {
            await inGoWords("remove", fileOf(name), () => fs.rm(fileOf(name)));
        },
        list,
        files: async () =>
            Promise.all(
                (await list()).map(async (name) => {
                    const { mtimeMs } = await fs.stat(fileOf(name));
                    return { name, writtenAt: Math.floor(mtimeMs / 1000) };
                }),
            ),
    };
}

/** Does something with a file, and says in Go's words what went wrong. */
async function inGoWords<T>(call: string, file: string, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        const { code = "", message } = error as NodeJS.ErrnoException;
        throw new BrError(`${call} ${file}: ${words[code] ?? message}`);
    }
}

function ifAbsent<T>(value: T): (error: NodeJS.ErrnoException) => T {
    return (error) => {
        if (error.code === "ENOENT") {
            return value;
        }
        throw error;
    };
}
