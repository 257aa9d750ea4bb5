#!/usr/bin/env node
import { tablesPath, type UserTable } from "../dataPlane/facts/userTable";
import { encodeBackend } from "../logBackup/task";
import { beginOfMeta, connectPd, deleteTask, hasTask, putTask, setPaused } from "./cluster";
import flags from "./flags/br.json";
import type { ParsedCall } from "./parseArguments";
import { logAsBr, notRecordedCode, Refusal, runRecorder, type Work } from "./runRecorder";
import { openStorage, placeOf } from "./storage";

/** The files of a backup that others know: BR writes `backupmeta` last (pingcap/tidb br/pkg/metautil, br/pkg/checkpoint). */
const metaFile = "backupmeta";
const lockFile = "backup.lock";
const dataFile = "1/1_write.sst";
const checkpointLock = "checkpoints/backup/checkpoint.lock";

/** Writes all tables of the simulated cluster, whatever the filter, and then `backupmeta`. */
const backup: Work = async (call, halfWay) => {
    const storage = openStorage(placeOf(call));
    if ((await storage.read(metaFile)) !== undefined) {
        throw new Error(
            `backup meta file exists in ${call.value("storage")}/${metaFile}, there may be some backup files in the path already, please specify a correct backup directory!: [BR:Common:ErrInvalidArgument]invalid argument`,
        );
    }
    if ((await storage.read(checkpointLock)) !== undefined) {
        throw new Error("The existing lock will expire in 300 seconds. There may be another BR(1) running.");
    }
    const pd = await connectPd(call);
    for (const file of [lockFile, checkpointLock]) {
        await storage.write(file, "DO NOT DELETE");
    }
    await storage.write(dataFile, await pd(tablesPath));
    await halfWay();
    await storage.write(metaFile, await beginOfMeta(pd));
    await storage.delete(checkpointLock);
};

/** Creates the tables of a full backup. Nothing is read from a log. */
async function restoreFrom(flag: string, call: ParsedCall, halfWay: () => Promise<void>): Promise<void> {
    const storage = openStorage(placeOf(call, flag));
    const data = (await storage.read(metaFile)) && (await storage.read(dataFile));
    if (data === undefined) {
        throw new Error(`load backupmeta failed: open ${call.value(flag)}/${metaFile}: no such file or directory`);
    }
    const pd = await connectPd(call);
    await halfWay();
    for (const table of (JSON.parse(data.toString()) as { tables: UserTable[] }).tables) {
        await pd(tablesPath, table);
    }
}

const restore: Work = (call, halfWay) => restoreFrom("storage", call, halfWay);

const restorePoint: Work = async (call, halfWay) => {
    await checkLog(call);
    if (call.value("full-backup-storage") !== undefined) {
        await restoreFrom("full-backup-storage", call, halfWay);
    }
};

const startLog: Work = async (call) => {
    const [place, pd] = [placeOf(call), await connectPd(call)];
    if (await hasTask(pd)) {
        throw new Error(
            "failed to start the log backup, allow only one running task: [BR:Stream:ErrStreamLogTaskExist]stream task already exists",
        );
    }
    await openStorage(place).write(metaFile, await beginOfMeta(pd));
    const { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
    await putTask(pd, taskOf(call), place.kind === "s3" ? { ...place, accessKey, secretAccessKey } : place);
};

/** Changes what PD keeps of a task. */
function changeTask(change: (pd: Awaited<ReturnType<typeof connectPd>>, name: string) => Promise<string>): Work {
    return async (call) => {
        const [name, pd] = [taskOf(call), await connectPd(call)];
        if (!(await hasTask(pd, name))) {
            throw new Error(`no such task ${name}: [BR:PiTR:ErrTaskNotFound]task not found`);
        }
        await change(pd, name);
    };
}

function taskOf({ value }: ParsedCall): string {
    const name = value("task-name");
    if (!name) {
        throw new Error("Miss parameters task-name: [BR:Common:ErrInvalidArgument]invalid argument");
    }
    return name;
}

/** @throws Error in a place where no log backup was started. */
async function checkLog(call: ParsedCall): Promise<void> {
    if ((await openStorage(placeOf(call)).read(metaFile)) === undefined) {
        throw new Error(`open ${call.value("storage")}/${metaFile}: no such file or directory`);
    }
}

/** The form in which tikv-ctl reads a storage. Without `--load-creds`, which nothing here sets, it has no keys. */
const base64ify: Work = (call) => {
    console.log(encodeBackend(placeOf(call)).toString("base64"));
    return Promise.resolve();
};

const works: Readonly<Record<string, Work>> = {
    ...{ "backup full": backup, "backup db": backup, "backup table": backup },
    ...{ "restore full": restore, "restore db": restore, "restore table": restore, "restore point": restorePoint },
    "log start": startLog,
    "log stop": changeTask(deleteTask),
    "log pause": changeTask((pd, name) => setPaused(pd, name, true)),
    "log resume": changeTask((pd, name) => setPaused(pd, name, false)),
    "log truncate": checkLog,
    "operator base64ify": base64ify,
};

/** The recorder in the place of `br`: see sandbox/README.md. */
void runRecorder("br", flags, async (call, halfWay) => {
    if (works[call.command] === undefined) {
        throw new Refusal(`the recorder does not carry out \`br ${call.command}\``, notRecordedCode);
    }
    logAsBr("INFO", `[info.go:49] ["Welcome to Backup & Restore (BR)"]`);
    await works[call.command](call, halfWay);
});
