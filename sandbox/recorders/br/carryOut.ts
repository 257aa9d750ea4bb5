import { checkArguments } from "./arguments/checkArguments";
import { NotRecorded } from "./arguments/findCommand";
import type { CommandName } from "./arguments/commands";
import type { Values } from "./arguments/values";
import { checkBrVersion, readCluster } from "./cluster/clusterFacts";
import { checkNoLogTask } from "./cluster/logTasks";
import { connectPd, readCertificates } from "./cluster/pdClient";
import { BrError } from "./errors";
import { type BrFault, faultPoints } from "./faults";
import type { Log } from "./log";
import { openStorage } from "./storage/openStorage";
import type { Storage } from "./storage/storage";
import { parseStorageUrl, type Place } from "./storage/storageUrl";
import { backup } from "./work/backup";
import { restore } from "./work/restore";
import type { Summary, Surroundings } from "./work/surroundings";

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

/** The name of a command in BR's log. Throws if the recorder only checks its arguments. */
function titleOf(name: CommandName): string {
    const title = titles[name];
    if (title === undefined) {
        throw new NotRecorded(`the recorder checks the arguments of \`br ${name}\`, but does not carry it out`);
    }
    return title;
}

/** Carries a command out. Throws BR's error if it cannot. */
export async function carryOut(
    name: CommandName,
    values: Values,
    log: Log,
    { environment, brVersion, fault, kill, now }: Circumstances,
): Promise<Summary> {
    readCertificates(values); // BR reads them before it looks at anything else.
    checkArguments(name, values);
    const title = titleOf(name);
    refuseUnrecorded(values);
    const isBackup = name.startsWith("backup ");
    const parse = (): Place => parseStorageUrl(values.text("storage"), values);
    // A backup reads the URL before it connects to PD, a restore afterwards.
    const early = isBackup ? parse() : undefined;
    const pd = await connectPd(values, environment, log);
    if (!isBackup) {
        await checkNoLogTask(pd);
    }
    const cluster = await readCluster(pd);
    if (values.isOn("check-requirements")) {
        checkBrVersion(cluster, brVersion);
    }
    const faults = faultPoints(fault, kill);
    const storage = faults.withStorage(await open(early ?? parse(), environment, isBackup));
    const surroundings: Surroundings = { values, log, pd, cluster, storage, brVersion, faults, now };
    return isBackup ? backup(title, surroundings) : restore(title, surroundings);
}

async function open(place: Place, environment: Circumstances["environment"], isBackup: boolean): Promise<Storage> {
    try {
        return await openStorage(place, environment);
    } catch (error) {
        // A restore says what it was doing, a backup does not.
        throw isBackup ? error : new BrError(`create storage failed: ${(error as Error).message}`);
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
