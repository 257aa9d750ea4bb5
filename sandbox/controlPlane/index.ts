import * as fs from "node:fs";
import { boot } from "./boot";
import { startClaimBinder } from "./claimBinder";
import { layoutOf } from "./layout";
import type { Ports } from "./arguments";
import type { ProgramEnd, RunningProgram } from "./programRunner";
import { providePrograms } from "./programs/provide";
import { firstToEnd } from "./readiness";
import { defaultPodTimings, type PodTimings } from "./stages";
import { startWatchdog } from "./watchdog";

export { missingImageTag, type PodTimings } from "./stages";
export { storageClassName } from "./clusterObjects";

/** What a control plane is like. */
export interface ControlPlaneOptions {
    /** Name of the sandbox; the kubeconfig's context is `sandbox-<name>`. */
    name: string;
    /** A folder of its own, which exists. It is removed at the end. */
    folder: string;
    /** How many nodes, spread over three zones. 6 by default. */
    nodes?: number;
    podTimings?: Partial<PodTimings>;
    /** How long booting may take, once the programs are at hand. 60 s by default. */
    bootMilliseconds?: number;
    log?: (line: string) => void;
    environment?: Record<string, string | undefined>;
    choosePorts?: () => Promise<Ports>;
}

/** A control plane that runs. */
export interface ControlPlane {
    /** Path of the kubeconfig. */
    kubeconfig: string;
    /** URL of the API server. */
    server: string;
    programs: RunningProgram[];
    watchdogProcessId: number;
    /** Resolves when a program ends that was not asked to; never when all is well. */
    broken: Promise<ProgramEnd>;
    /** Ends every program and removes the folder. */
    down(): Promise<void>;
}

/**
 * A Kubernetes control plane with KWOK's nodes, on this machine, without containers. It ends with `down()`, or with the
 * process that started it, however that ends.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
    const log = options.log ?? (() => undefined);
    const layout = layoutOf(options.folder);
    const watchdog = startWatchdog(options.folder);
    try {
        const files = await providePrograms({ log, environment: options.environment });
        const { server, programs } = await boot({
            name: options.name,
            layout,
            files,
            nodes: options.nodes ?? 6,
            podTimings: { ...defaultPodTimings, ...options.podTimings },
            bootMilliseconds: options.bootMilliseconds ?? 60_000,
            log,
            choosePorts: options.choosePorts,
        });
        const kubernetes = await import("@kubernetes/client-node");
        const kubeconfig = new kubernetes.KubeConfig();
        kubeconfig.loadFromFile(layout.kubeconfig);
        const binder = await startClaimBinder(kubernetes, kubeconfig, log);
        return {
            kubeconfig: layout.kubeconfig,
            server,
            programs,
            watchdogProcessId: watchdog.processId,
            broken: firstToEnd(programs),
            down: async () => {
                await binder.stop();
                await Promise.all(programs.map((program) => program.stop()));
                fs.rmSync(options.folder, { recursive: true, force: true });
                await watchdog.release();
            },
        };
    } catch (error) {
        await watchdog.release(); // It removes the folder, and kills whatever was started in it.
        throw error;
    }
}
