#!/usr/bin/env node
import { randomBytes } from "node:crypto";
import { decodeBackend } from "../logBackup/task";
import flags from "./flags/tikv-ctl.json";
import { runRecorder } from "./runRecorder";
import { openStorage } from "./storage";

const interrupt = new AbortController();
process.on("SIGINT", () => interrupt.abort());

/**
 * The recorder in the place of `tikv-ctl`: it holds a lock in the storage while it works, and takes it off unless it is killed. In the place of compacted
 * files it writes a migration (tikv/tikv components/compact-log-backup, v8.5.5).
 */
void runRecorder("tikv-ctl", flags, async ({ value }, halfWay) => {
    const storage = openStorage(decodeBackend(Buffer.from(value("storage-base64") ?? "", "base64")));
    const lock = `v1/LOCK.READ.${randomBytes(8).toString("hex")}`;
    await storage.write(lock, "{}");
    try {
        await halfWay(interrupt.signal);
        if (interrupt.signal.aborted) {
            throw new Error("User canceled by Ctrl-C");
        }
        await storage.write("v1/migrations/00000001_compaction.mgrt", `${value("from")} ${value("until")}`);
    } finally {
        await storage.delete(lock);
    }
});
