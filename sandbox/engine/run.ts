import { confinedSources } from "./confinement";
import { createDeployment, type Deployment, Cancelled } from "./deployment";
import { deleteAll, deleteUnregistered } from "./deletion";
import { startDynamicProvider } from "./dynamicProvider";
import { engineService } from "./engineService";
import { type Reporter } from "./events";
import { kubernetesCluster } from "./kubernetes/cluster";
import { warmKubernetesClient } from "./kubernetes/connection";
import { kubernetesProvider } from "./kubernetes/kubernetesProvider";
import { type OnlyCluster } from "./kubernetes/onlyCluster";
import { alreadyReported, runProgram } from "./languageHost";
import { createMonitor, type Monitor } from "./monitor";
import { type StartNode } from "./nodeProcess";
import { createPlugins } from "./plugins";
import { type Project } from "./project";
import { type Provider } from "./provider";
import { createProviders, type ProviderSources } from "./providers";
import { refreshAll } from "./refresh";
import { startServer } from "./server";
import { type StackState } from "./state";
import { stackType } from "./urn";
import { type PropertyMap } from "./values";

/** The settings of a run. */
export interface RunOptions {
    project: Project;
    stack: string;
    state: StackState;
    /** The stack's configuration, decrypted, by `<namespace>:<name>`. */
    config: Record<string, string>;
    /** The environment of the program and of the providers. */
    environment: NodeJS.ProcessEnv;
    report: Reporter;
    /** Starts the processes of the program and of dynamic resources. */
    startNode: StartNode;
    /** The only cluster that the run may use. Default: any cluster. */
    only?: OnlyCluster;
    /** Ends the run: resources in progress finish, a gate with all steps of its plan, and no new ones begin. Default: the run is never interrupted. */
    interrupt?: AbortSignal;
}

/** Runs the program for a preview or an update. Returns whether it succeeded. */
export async function runUpdate(options: RunOptions, preview: boolean): Promise<boolean> {
    return withDeployment(options, preview, { prewarm: true }, async (deployment, engineAddress) => {
        let deleted: Promise<void> | undefined;
        const endProgram = (): Promise<void> =>
            (deleted ??= settle(deployment).then(() => deleteUnregistered(deployment)));
        const monitor = createMonitor(deployment, endProgram);
        const server = await startServer([monitor.service]);
        const program = runProgram({
            project: options.project,
            stack: options.stack,
            monitorAddress: server.address,
            engineAddress,
            preview,
            environment: options.environment,
            config: options.config,
            secretConfigKeys: [],
            startNode: options.startNode,
            onOutput: (message) => options.report.diagnostic({ severity: "info", message }),
            onError: (message) => options.report.diagnostic({ severity: "info#err", message }),
        });
        deployment.cancellation.signal.catch(() => settle(deployment).then(() => program.kill()));
        try {
            const exitCode = await program.exitCode;
            if (exitCode !== 0 && !deployment.cancellation.cancelled) {
                reportExit(options.report, exitCode);
                deployment.cancellation.cancel();
            }
            await (deployment.cancellation.cancelled ? settle(deployment) : endProgram());
        } catch (error) {
            if (!(error instanceof Cancelled)) {
                throw error;
            }
            await settle(deployment);
        } finally {
            server.stop();
        }
        return setStackOutputs(deployment, monitor);
    });
}

function reportExit(report: Reporter, exitCode: number | null): void {
    if (exitCode !== alreadyReported) {
        const message = `the program ended with ${exitCode === null ? "a signal" : `exit code ${exitCode}`}`;
        report.diagnostic({ severity: "error", message });
    }
}

/** Deletes every resource in the state. In a preview, only reports them. Returns whether it succeeded. */
export async function runDestroy(options: RunOptions, preview: boolean): Promise<boolean> {
    return withDeployment(options, preview, { prewarm: false }, async (deployment) => {
        await ignoreCancelled(deleteAll(deployment, [...deployment.state.resources]));
        return {};
    });
}

/** Reads the resources into the state. Returns whether it succeeded. */
export async function runRefresh(options: RunOptions): Promise<boolean> {
    return withDeployment(options, false, { prewarm: false }, async (deployment) => {
        await ignoreCancelled(refreshAll(deployment));
        return stackOf(deployment)?.outputs ?? {};
    });
}

async function withDeployment(
    options: RunOptions,
    preview: boolean,
    { prewarm }: { prewarm: boolean },
    work: (deployment: Deployment, engineAddress: string) => Promise<PropertyMap>,
): Promise<boolean> {
    const started = Date.now();
    const { report } = options;
    const engine = await startServer([engineService(report)]);
    const dynamic = (): Provider =>
        startDynamicProvider({
            program: options.project.folder,
            engineAddress: engine.address,
            environment: options.environment,
            startNode: options.startNode,
            config: options.config,
            onOutput: (message) => report.diagnostic({ severity: "info", message }),
        });
    const plugins = createPlugins({
        program: options.project.folder,
        engineAddress: engine.address,
        environment: options.environment,
        config: options.config,
        onOutput: (message) => report.diagnostic({ severity: "info", message }),
    });
    // It takes as long to start as the program, so both start at the same time.
    let used: Provider | undefined = prewarm ? dynamic() : undefined;
    const stop = () => Promise.all([used?.stop?.(), plugins.stop()]);
    if (prewarm) {
        // The call that needs the client reports its error.
        warmKubernetesClient().catch(() => undefined);
    }
    const context = {
        environment: options.environment,
        config: options.config,
        folder: options.project.folder,
        status: (urn: string, message: string) =>
            report.diagnostic({ severity: "info", urn, message, ephemeral: true }),
    };
    const sources: ProviderSources = {
        dynamic: () => (used ??= dynamic()),
        plugin: (name) => plugins.of(name),
        kubernetes: (inputs) => kubernetesProvider(inputs, context),
        kubernetesCluster: (inputs) => kubernetesCluster(inputs, options.project.folder),
        allow: async () => {},
    };
    const { only } = options;
    const deployment = createDeployment({
        preview,
        project: options.project.name,
        stack: options.stack,
        state: options.state,
        report,
        providers: (get) =>
            createProviders(get, only === undefined ? sources : confinedSources(sources, only, context)),
    });
    report.started(preview);
    const stopListening = onInterrupt(options.interrupt, deployment);
    reportInterrupted(options);
    try {
        const outputs = await work(deployment, engine.address);
        if (!preview) {
            options.state.save();
        }
        await stop();
        const ok = !deployment.cancellation.cancelled;
        const seconds = (Date.now() - started) / 1000;
        report.finished({ ok, preview, seconds, changes: deployment.changes, outputs });
        return ok;
    } finally {
        stopListening();
        await stop();
        engine.stop();
    }
}

/** Stops the run when the signal is given. Returns a function that ends the listening. */
function onInterrupt(signal: AbortSignal | undefined, { report, cancellation }: Deployment): () => void {
    const interrupt = (): void => {
        const message =
            "the run was interrupted: resources in progress finish, and no new ones begin. A gate in progress carries on through all steps of its plan; `pulumi-tidb stop CLUSTER` ends it at its next safe point";
        report.diagnostic({ severity: "error", message });
        cancellation.cancel();
    };
    if (signal?.aborted) {
        interrupt();
    }
    signal?.addEventListener("abort", interrupt, { once: true });
    return () => signal?.removeEventListener("abort", interrupt);
}

function reportInterrupted({ state, report }: RunOptions): void {
    for (const { urn, operation } of state.interrupted.splice(0)) {
        report.diagnostic({
            severity: "warning",
            urn,
            message: `was interrupted while ${operation}; the operation is retried`,
        });
    }
}

/** Waits for the steps in progress. They finish even after a failure, and their results are kept. */
async function settle(deployment: Deployment): Promise<void> {
    while (deployment.steps.size > 0) {
        await Promise.allSettled([...deployment.steps]);
    }
}

async function ignoreCancelled(work: Promise<void>): Promise<void> {
    await work.catch((error: Error) => {
        if (!(error instanceof Cancelled)) {
            throw error;
        }
    });
}

function stackOf(deployment: Deployment) {
    const all = [...deployment.news.values(), ...deployment.state.resources];
    return all.find((resource) => resource.type === stackType);
}

/** After a failure, outputs that the program did not set keep their old values. */
function setStackOutputs(deployment: Deployment, monitor: Monitor): PropertyMap {
    const stack = stackOf(deployment);
    const outputs = monitor.stackOutputs();
    if (outputs === undefined) {
        return {};
    }
    const all = deployment.cancellation.cancelled ? { ...stack?.outputs, ...outputs } : outputs;
    if (stack !== undefined) {
        stack.outputs = all;
        deployment.report.stepDone({ operation: "same", urn: stack.urn, type: stack.type, new: stack }, 0);
    }
    return all;
}
