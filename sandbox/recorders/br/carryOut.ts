import { checkArguments } from "./arguments/checkArguments";
import { NotRecorded } from "./arguments/findCommand";
import type { CommandName } from "./arguments/commands";
import type { Values } from "./arguments/values";
import { checkBrVersion, readCluster } from "./cluster/clusterFacts";
import { checkNoLogTask } from "./cluster/logTasks";
import { connectPd, readCertificates } from "./cluster/pdClient";
import { encodeBackend } from "../../logBackup/task";
import { BrError } from "./errors";
import { type BrFault, faultPoints } from "./faults";
import type { Log } from "./log";
import { openStorage } from "./storage/openStorage";
import type { Storage } from "./storage/storage";
import { parseStorageUrl, type Place } from "./storage/storageUrl";
import { backup } from "./subcommands/backup";
import { logMetadata, logStatus, pauseLog, resumeLog, startLog, stopLog, truncateLog } from "./subcommands/log";
import { restore } from "./subcommands/restore";
import { restorePoint } from "./subcommands/restorePoint";
import type { Summary, Surroundings, WithoutStorage } from "./subcommands/surroundings";

/** What the recorder knows besides its command line. */
export interface Circumstances {
    readonly environment: Readonly<Record<string, string | undefined>>;
    /** The version that BR says it has. */
    readonly brVersion: string;
    readonly fault: BrFault | undefined;
    readonly kill: () => void;
    readonly now: () => number;
}

/** The commands that work on tables, by their name in BR's log. */
const titles: Partial<Record<CommandName, string>> = {
    "backup full": "Full Backup",
    "backup db": "Database Backup",
    "backup table": "Table Backup",
    "restore full": "Full Restore",
    "restore db": "DataBase Restore",
    "restore table": "Table Restore",
};

/** The commands that change nothing in a storage, and so need none. */
const withoutStorage: readonly CommandName[] = ["log stop", "log pause", "log resume", "log status"];

/** Carries a command out. Throws BR's error if it cannot. @returns what its log says at the end, if it does. */
export async function carryOut(
    name: CommandName,
    values: Values,
    log: Log,
    { environment, brVersion, fault, kill, now, out }: Circumstances & { out: (line: string) => void },
): Promise<Summary | undefined> {
    readCertificates(values); // BR reads them before it looks at anything else.
    if (name === "operator base64ify") {
        const at = parseStorageUrl(values.text("storage"), values, environment);
        await open(at, environment, false);
        out(encodeBackend(values.isOn("load-creds") ? withKeys(at, environment) : at).toString("base64"));
        return undefined;
    }
    checkArguments(name, values);
    refuseUnrecorded(values);
    const isRestore = name.startsWith("restore ");
    const place = (flag = "storage"): Place => parseStorageUrl(values.text(flag), values, environment);
    const faults = faultPoints(fault, kill);
    const openAt = async (at: Place): Promise<Storage> => faults.withStorage(await open(at, environment, isRestore));
    // A restore reads the URL after it has connected to PD, the others before.
    const early = isRestore || withoutStorage.includes(name) ? undefined : place();
    if (name === "log truncate" || name === "log metadata") {
        const stored = { values, storage: await openAt(early!) };
        await (name === "log truncate" ? truncateLog(stored, out) : logMetadata(stored, log));
        return undefined;
    }
    const pd = await connectPd(values, environment, log);
    if (isRestore) {
        await checkNoLogTask(pd);
    }
    const cluster = await readCluster(pd);
    if (values.isOn("check-requirements")) {
        checkBrVersion(cluster, brVersion);
    }
    const without = { values, log, pd, cluster, brVersion, faults, now };
    if (withoutStorage.includes(name)) {
        await (name === "log status" ? logStatus(without, out) : changes[name]!(without));
        return undefined;
    }
    const storage = await openAt(early ?? place());
    const surroundings: Surroundings = { ...without, storage };
    if (name === "log start") {
        const sendsKeys = values.isOn("send-credentials-to-tikv");
        await startLog(surroundings, sendsKeys ? withKeys(early!, environment) : early!);
        return undefined;
    }
    if (name === "restore point") {
        return restorePoint(surroundings, () => openAt(place("full-backup-storage")));
    }
    const title = titles[name]!;
    return isRestore ? restore(title, surroundings) : backup(title, surroundings);
}

const changes: Partial<Record<CommandName, (surroundings: WithoutStorage) => Promise<void>>> = {
    "log stop": stopLog,
    "log pause": pauseLog,
    "log resume": resumeLog,
};

/** A storage with BR's own keys, for TiKV. */
function withKeys(place: Place, environment: Circumstances["environment"]): Place {
    return place.kind === "local"
        ? place
        : {
              ...place,
              accessKey: place.accessKey ?? environment.AWS_ACCESS_KEY_ID,
              secretAccessKey: place.secretAccessKey ?? environment.AWS_SECRET_ACCESS_KEY,
          };
}

async function open(place: Place, environment: Circumstances["environment"], isRestore: boolean): Promise<Storage> {
    try {
        return await openStorage(place, environment);
    } catch (error) {
        // A restore says what it was doing, the others do not.
        throw isRestore ? new BrError(`create storage failed: ${(error as Error).message}`) : error;
    }
}

/** Refuses what would change a backup or a restore, and what the recorder does not do. */
function refuseUnrecorded(values: Values): void {
    if (values.has("type") && values.text("type") === "aws-ebs") {
        throw new NotRecorded("the recorder makes no snapshots of volumes: --type=aws-ebs");
    }
    if (values.text("crypter.method").toLowerCase() !== "plaintext") {
        throw new NotRecorded("the recorder does not encrypt backups: --crypter.method");
    }
    const given = ["lastbackupts", "no-schema", "keyspace-name"].find(
        (name) => values.has(name) && values.isGiven(name),
    );
    if (given !== undefined) {
        throw new NotRecorded(`the recorder has no backup or restore with --${given}`);
    }
}
