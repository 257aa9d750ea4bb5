import { randomBytes } from "node:crypto";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFolder } from "../makeFolder";
import { isRunning } from "../processes";

const pollMilliseconds = 500;

/**
 * Runs `work` while no other process works in the same folder, so two simultaneous first starts build only once. The
 * lock only saves work: built files are moved into place by an atomic rename, so two builds at once do no harm. A lock
 * whose process has ended is taken over.
 */
export async function withBuildLock<T>(
    folder: string,
    log: (line: string) => void,
    work: () => Promise<T>,
): Promise<T> {
    makeFolder(folder);
    const lock = path.join(folder, ".lock");
    let reported = false;
    while (!(await take(lock))) {
        const holder = await holderOf(lock);
        if (holder === undefined || !isRunning(holder)) {
            await clearStale(lock);
            continue;
        }
        if (!reported) {
            log(`waiting for process ${holder}, which is downloading or building the same programs`);
            reported = true;
        }
        await sleep(pollMilliseconds);
    }
    try {
        return await work();
    } finally {
        await fs.rm(lock, { force: true });
    }
}

// Two waiting processes may see the same stale lock. The slower one must not remove the lock that the faster one has
// taken since.
async function clearStale(lock: string): Promise<void> {
    const aside = `${lock}.${unique()}`;
    try {
        await fs.rename(lock, aside);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") {
            return;
        }
        throw error;
    }
    const holder = await holderOf(aside);
    if (holder !== undefined && isRunning(holder)) {
        await linkIfAbsent(aside, lock);
    }
    await fs.rm(aside, { force: true });
}

async function take(lock: string): Promise<boolean> {
    // A hard link appears with its content already in place, so no other process ever reads a lock without a holder.
    const mine = `${lock}.${unique()}`;
    await fs.writeFile(mine, String(process.pid));
    try {
        return await linkIfAbsent(mine, lock);
    } finally {
        await fs.rm(mine, { force: true });
    }
}

async function linkIfAbsent(file: string, link: string): Promise<boolean> {
    try {
        await fs.link(file, link);
        return true;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") {
            return false;
        }
        throw error;
    }
}

function unique(): string {
    return `${process.pid}.${randomBytes(4).toString("hex")}`;
}

async function holderOf(lock: string): Promise<number | undefined> {
    try {
        return Number(await fs.readFile(lock, "utf8"));
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") {
            return undefined;
        }
        throw error;
    }
}
