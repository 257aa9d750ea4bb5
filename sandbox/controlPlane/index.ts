import * as fs from "node:fs";
import { boot } from "./boot";
import { startLocalProvisioner } from "./localProvisioner";
import { layoutOf } from "./layout";
import type { Ports } from "./arguments";
import type { ProgramEnd, RunningProgram } from "./programRunner";
import { providePrograms } from "./programs/provide";
import { firstToEnd } from "./readiness";
import { defaultPodTimings, type PodTimings } from "./stages";
import { startVolumeController } from "./volumes/volumeController";
import { startWatchdog } from "./watchdog";

export { missingImageTag, type PodTimings } from "./stages";
export { storageClassName } from "./clusterObjects";

/** The number of nodes of a control plane. */
export const defaultNodes = 6;

/** Options of a control plane. */
export interface ControlPlaneOptions {
    /** The name of the sandbox. The kubeconfig's context is `sandbox-<name>`. */
    name: string;
    /** An existing folder for this control plane only. It is removed at the end. */
    folder: string;
    /** The number of nodes, which are spread over three zones. Default: `defaultNodes`. */
    nodes?: number;
    /** Whether the folder holds a cluster that continues. Default: false. */
    isResumed?: boolean;
    podTimings?: Partial<PodTimings>;
    /** The components whose pods run as processes: KWOK leaves them alone. Default: none. */
    processComponents?: readonly string[];
    /** The time limit for booting, not counting the time to get the programs. Default: 60 s. */
    bootMilliseconds?: number;
    log?: (line: string) => void;
    environment?: Record<string, string | undefined>;
    choosePorts?: () => Promise<Ports>;
}

/** A running control plane. */
export interface ControlPlane {
    /** The path of the kubeconfig. */
    kubeconfig: string;
    /** The URL of the API server. */
    server: string;
    programs: RunningProgram[];
    watchdogProcessId: number;
    /** Resolves when a program ends unexpectedly. Never resolves if none does. */
    broken: Promise<ProgramEnd>;
    /** Ends all programs and removes the folder. */
    down(): Promise<void>;
}

/**
 * Starts a Kubernetes control plane with KWOK nodes on this machine, without containers. It runs until `down()` is
 * called or the process that started it ends for whatever reason.
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
            nodes: options.nodes ?? defaultNodes,
            podTimings: { ...defaultPodTimings, ...options.podTimings },
            processComponents: options.processComponents,
            isResumed: options.isResumed ?? false,
            bootMilliseconds: options.bootMilliseconds ?? 60_000,
            log,
            choosePorts: options.choosePorts,
        });
        const kubernetes = await import("@kubernetes/client-node");
        const kubeconfig = new kubernetes.KubeConfig();
        kubeconfig.loadFromFile(layout.kubeconfig);
        const volumes = await startVolumeController(kubernetes, kubeconfig, log);
        const provisioner = await startLocalProvisioner(kubernetes, kubeconfig, log);
        return {
            kubeconfig: layout.kubeconfig,
            server,
            programs,
            watchdogProcessId: watchdog.processId,
            broken: firstToEnd(programs),
            down: async () => {
                await Promise.all([volumes.stop(), provisioner.stop()]);
                await Promise.all(programs.map((program) => program.stop()));
                if (!fs.existsSync(layout.kept)) {
                    fs.rmSync(options.folder, { recursive: true, force: true });
                }
                await watchdog.release();
            },
        };
    } catch (error) {
        await watchdog.release(); // The watchdog removes the folder and kills every program started in it.
        throw error;
    }
}
