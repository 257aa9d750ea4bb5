import * as fs from "node:fs";
import * as path from "node:path";
import { backupPrograms, createBackupBucket } from "./backups";
import { defaultNodes, startControlPlane, type ControlPlane, type ControlPlaneOptions } from "./controlPlane";
import { sandboxesFolder } from "./controlPlane/folders";
import { layoutOf } from "./controlPlane/layout";
import {
    checkSandboxName,
    claimFolder,
    generatedName,
    listSandboxes,
    readState,
    releaseKept,
    saveState,
} from "./controlPlane/registry";
import {
    type DataPlane,
    checkMachine,
    claimNetwork,
    processComponents,
    type Programs,
    type SandboxProcesses,
    searchBinaries,
    startDataPlane,
    startPodProcesses,
    type Timings,
} from "./dataPlane";
import { type S3Options, type S3Server, startS3 } from "./s3/s3Server";

/** Options of a sandbox. */
export interface SandboxOptions {
    /** Up to 40 lower-case letters, digits and dashes. Default: a generated name. */
    name?: string;
    /**
     * A folder for this sandbox only. It is removed at the end. Default: a folder in the cache, named after the
     * sandbox.
     */
    folder?: string;
    /** The number of nodes, which are spread over three zones. Default: 6. */
    nodes?: number;
    /**
     * Whether the sandbox belongs to the user rather than to this program: `sandbox stop --all` stops it, and `sandbox pulumi`
     * finds it without its name. Default: false.
     */
    detached?: boolean;
    /** How fast the data plane works. */
    timings?: Partial<Timings>;
    /** How fast pods start and stop. */
    podTimings?: ControlPlaneOptions["podTimings"];
    /** Also starts a server of S3, for backups. Default: none. */
    s3?: S3Options;
    /**
     * Whether the Jobs of Backups, Restores and BackupSchedules can run: a server of S3 with the bucket `backups`, and recorders in the
     * places of BR, tikv-ctl and rclone. Default: false.
     */
    backups?: boolean;
    /**
     * The programs that the pods of Jobs may run, by the name of the command: `{ python: "/usr/bin/python3" }`. They run as processes of this
     * machine. A Job with another command fails, and says so. Default: none.
     */
    programs?: Programs;
    /**
     * A folder with programs of TiDB, or several separated as in `PATH`: `~/.tiup/components`, or a folder with `pd-server` and `tikv-server`. Pods
     * of members that have a program run it, as processes of this machine, through their own start scripts. The others stay simulated. On Linux only. Default: all are simulated.
     */
    processes?: string;
    /** Receives progress messages, and errors after which the sandbox tries again. Default: no log. */
    log?: (line: string) => void;
}

/** How `sandbox list` shows this process: `mocha tests/a.test.ts`. */
function ownProgram(): string {
    const [, file = "node", ...words] = process.argv;
    return [path.basename(file), ...words].join(" ").slice(0, maxProgramLength);
}

const maxProgramLength = 60;

/** A Kubernetes cluster with KWOK nodes in which a simulator plays PD, TiKV and TiDB. */
export interface Sandbox {
    name: string;
    folder: string;
    /** The path of the kubeconfig. */
    kubeconfig: string;
    controlPlane: ControlPlane;
    dataPlane: DataPlane;
    /** The pods that run as processes, if the options ask for them. */
    processes: SandboxProcesses | undefined;
    /** The server of S3, if the options ask for one. */
    s3: S3Server | undefined;
    /** Ends all processes and removes the folder. May be called more than once. */
    down(): Promise<void>;
}

/**
 * Starts a sandbox that runs until `down()` is called or this process ends for whatever reason. Several sandboxes may
 * run at the same time. Throws if the name is taken, if the control-plane programs are not available (the error says
 * what to install), or if one of them ends or is not ready in time (with the last lines of its log).
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
    const name = options.name ?? generatedName();
    checkSandboxName(name);
    await listSandboxes(sandboxesFolder()); // Also removes what dead sandboxes left.
    const folder = path.resolve(options.folder ?? path.join(sandboxesFolder(), name));
    // A folder that was kept says which programs its pods run. What cannot work is refused before the folder is taken.
    const folders = options.processes ?? readState(folder)?.binaries;
    const binaries = folders === undefined ? undefined : searchBinaries(folders);
    const namespaces = binaries && checkMachine();
    const state = await claimFolder(name, folder, options.detached ? undefined : ownProgram());
    state.nodes = options.nodes ?? state.nodes ?? defaultNodes;
    const log = options.log ?? (() => undefined);
    const layout = layoutOf(folder);
    /** What ends the parts that have been started. */
    const ends: (() => Promise<unknown> | void)[] = [
        () => {
            if (fs.existsSync(layout.kept)) {
                saveState({ ...state, hasEnded: true });
            }
        },
    ];
    const end = async (): Promise<void> => {
        const last = ends.pop();
        if (last !== undefined) {
            try {
                await last();
            } finally {
                await end();
            }
        }
    };
    try {
        const controlPlane = await startControlPlane({
            name,
            folder,
            nodes: state.nodes,
            isResumed: state.isResumed,
            podTimings: options.podTimings,
            processComponents: binaries && processComponents(binaries),
            log,
        });
        ends.push(() => controlPlane.down());
        const { kubeconfig, server, programs } = controlPlane;
        let processes: SandboxProcesses | undefined;
        const jobs = {
            programs: {
                ...(options.backups ? backupPrograms(path.join(folder, "recorders")) : {}),
                ...options.programs,
            },
            folder: path.join(folder, "jobs"),
            processIds: layout.processIds,
            hosts: (namespace: string) => processes?.hosts(namespace),
        };
        const dataPlane = await startDataPlane({
            kubeconfig,
            timings: options.timings,
            jobs,
            processComponents: binaries && processComponents(binaries),
            log,
        });
        ends.push(() => dataPlane.stop());
        if (binaries !== undefined && namespaces !== undefined) {
            const network = await claimNetwork(state.network);
            ends.push(() => network.release());
            Object.assign(state, { network: network.number, binaries: folders });
            saveState(state);
            processes = await startPodProcesses(kubeconfig, {
                binaries,
                namespaces,
                network: network.number,
                folder: path.join(folder, "pods"),
                volumes: path.join(folder, "jobs", "claims"),
                processIds: layout.processIds,
                server,
                log,
            });
            ends.push(() => processes?.stop());
            const simulated = [...binaries.simulated, "tiflash", "tiproxy", "pump"].join(", ");
            log(`as processes: ${processComponents(binaries).join(", ")}; simulated: ${simulated}`);
        }
        const s3Options = options.s3 ?? (options.backups ? {} : undefined);
        const s3 = s3Options && (await startS3(layout, { ...s3Options, log }));
        ends.push(() => s3?.stop());
        if (s3 !== undefined && options.backups) {
            state.backups = await createBackupBucket(s3);
        }
        const processIds = Object.fromEntries(programs.map((program) => [program.name, program.processId]));
        Object.assign(state, { server, processes: processIds, ready: true });
        saveState(state);
        releaseKept(folder);

        let ending: Promise<void> | undefined;
        void controlPlane.broken.then((broken) => {
            if (ending === undefined) {
                state.broken = `${broken.name} ended (${broken.how}); its last line: ${broken.lastLines.at(-1) ?? "none"}`;
                saveState(state);
                log(`the sandbox "${name}" is broken: ${state.broken}`);
            }
        });
        return {
            name,
            folder,
            kubeconfig,
            controlPlane,
            dataPlane,
            processes,
            s3,
            down: () => (ending ??= end()),
        };
    } catch (error) {
        await end();
        throw error;
    }
}
