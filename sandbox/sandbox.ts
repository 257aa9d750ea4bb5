import * as path from "node:path";
import { startControlPlane, type ControlPlane, type ControlPlaneOptions } from "./controlPlane";
import { sandboxesFolder } from "./controlPlane/folders";
import { checkSandboxName, claimFolder, generatedName, listSandboxes, saveState } from "./controlPlane/registry";
import { startDataPlane, type DataPlane, type Timings } from "./dataPlane";

/** What a sandbox is like. */
export interface SandboxOptions {
    /** Up to 40 lower-case letters, digits and dashes. A name that no other has by default. */
    name?: string;
    /** A folder for this sandbox alone, removed at the end. By default one named after it in the cache folder. */
    folder?: string;
    /** How many nodes, spread over three zones. 6 by default. */
    nodes?: number;
    /** How fast the data plane works. */
    timings?: Partial<Timings>;
    /** How fast pods start and stop. */
    podTimings?: ControlPlaneOptions["podTimings"];
    /** Told how far it is, and of what goes wrong and is tried again. Default: nobody. */
    log?: (line: string) => void;
}

/** A Kubernetes cluster of KWOK's nodes in which a simulator plays PD, TiKV and TiDB. */
export interface Sandbox {
    name: string;
    folder: string;
    /** Path of its kubeconfig. */
    kubeconfig: string;
    controlPlane: ControlPlane;
    dataPlane: DataPlane;
    /** Ends all of it and removes its folder. May be called more than once. */
    down(): Promise<void>;
}

/**
 * Starts a sandbox that lives until `down()`, or until this process ends, however it does. Several may run side by side.
 * Throws when the name is taken, when the programs are not to be had (saying what to install), or when one of them ends
 * or is not ready in time (with the last lines of its log).
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
    const name = options.name ?? generatedName();
    checkSandboxName(name);
    await listSandboxes(sandboxesFolder()); // Sweeps what dead ones left.
    const state = await claimFolder(name, path.resolve(options.folder ?? path.join(sandboxesFolder(), name)));
    const log = options.log ?? (() => undefined);
    const controlPlane = await startControlPlane({
        name,
        folder: state.folder,
        nodes: options.nodes,
        podTimings: options.podTimings,
        log,
    });
    try {
        const { kubeconfig, server, programs } = controlPlane;
        const dataPlane = await startDataPlane({ kubeconfig, timings: options.timings, log });
        const processes = Object.fromEntries(programs.map((program) => [program.name, program.processId]));
        Object.assign(state, { server, processes, ready: true });
        saveState(state);

        let ending: Promise<void> | undefined;
        void controlPlane.broken.then((end) => {
            if (ending === undefined) {
                state.broken = `${end.name} ended (${end.how}); its last line: ${end.lastLines.at(-1) ?? "none"}`;
                saveState(state);
                log(`the sandbox "${name}" is broken: ${state.broken}`);
            }
        });
        const end = async (): Promise<void> => {
            await dataPlane.stop();
            await controlPlane.down();
        };
        return {
            name,
            folder: state.folder,
            kubeconfig,
            controlPlane,
            dataPlane,
            down: () => (ending ??= end()),
        };
    } catch (error) {
        await controlPlane.down();
        throw error;
    }
}
