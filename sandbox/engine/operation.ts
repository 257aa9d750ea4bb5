import { display } from "./display";
import { combineReporters, eventLog } from "./events";
import { type OnlyCluster } from "./kubernetes/onlyCluster";
import { startNode, type StartNode } from "./nodeProcess";
import { readConfig, readProject } from "./project";
import { runDestroy, type RunOptions, runRefresh, runUpdate } from "./run";
import { openState } from "./state";

/** What the engine can do with a stack. */
export type Operation = "preview" | "up" | "destroy" | "refresh";

/** The settings of an operation. */
export interface OperationSettings {
    /** The folder with Pulumi.yaml. */
    program: string;
    stack: string;
    /** The folder that holds the state. */
    state: string;
    /** Configuration that takes precedence over the stack's file. A key without a namespace belongs to the project. */
    config: Record<string, string>;
    /** Shows the properties that change. Default: false. */
    diff?: boolean;
    /** Skips the preview before the operation. Default: false. */
    skipPreview?: boolean;
    /** The file to write the events to, as JSON lines. Default: none. */
    eventLog?: string;
    environment: NodeJS.ProcessEnv;
    print: (line: string) => void;
    /** Starts the processes of the program and of dynamic resources. Default: each time a new process. */
    startNode?: StartNode;
    /** The only cluster that the run may use. Default: any cluster. */
    only?: OnlyCluster;
    /** Ends the run: steps in progress finish, and no new ones start. */
    interrupt?: AbortSignal;
    /** Asked after the preview. If it resolves to false, nothing is done. Default: not asked. */
    confirm?: () => Promise<boolean>;
}

/**
 * Carries out an operation on a stack: first its preview, then the operation itself. Returns whether it succeeded.
 *
 * @throws if the project, its configuration or the state cannot be read, or if another run holds the stack's lock
 */
export async function runOperation(operation: Operation, settings: OperationSettings): Promise<boolean> {
    const { stack, environment, only, interrupt, confirm } = settings;
    const project = readProject(settings.program);
    const config = readConfig(project, stack, settings.config);
    const state = openState(
        {
            folder: settings.state,
            project: project.name,
            stack,
            passphrase: environment.PULUMI_CONFIG_PASSPHRASE ?? "",
        },
        { lock: operation !== "preview" },
    );
    const report = combineReporters([
        display({ stack, operation, diff: settings.diff ?? false, print: settings.print }),
        ...(settings.eventLog === undefined ? [] : [eventLog(settings.eventLog)]),
    ]);
    const options: RunOptions = {
        project,
        stack,
        state,
        config,
        environment,
        report,
        only,
        interrupt,
        startNode: settings.startNode ?? startNode,
    };
    const confirmed = async (): Promise<boolean> => confirm === undefined || (await confirm());
    const previewThen = async (run: (preview: boolean) => Promise<boolean>): Promise<boolean> =>
        (settings.skipPreview || (await run(true))) && (await confirmed()) && (await run(false));
    try {
        switch (operation) {
            case "preview":
                return await runUpdate(options, true);
            case "up":
                return await previewThen((preview) => runUpdate(options, preview));
            case "destroy":
                return await previewThen((preview) => runDestroy(options, preview));
            case "refresh":
                return (await confirmed()) && (await runRefresh(options));
        }
    } finally {
        state.unlock();
    }
}

/**
 * Adds `KEY=VALUE` to the configuration collected so far, as commander's parsers do.
 * @throws if there is no key
 */
export function collectConfig(text: string, collected: Record<string, string>): Record<string, string> {
    const separator = text.indexOf("=");
    if (separator < 1) {
        throw new Error(`--config ${text}: expected KEY=VALUE`);
    }
    return { ...collected, [text.slice(0, separator)]: text.slice(separator + 1) };
}
