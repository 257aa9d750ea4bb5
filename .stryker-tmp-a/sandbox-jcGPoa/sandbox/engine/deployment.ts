import { Operation, Reporter, Step } from "./events";
import { Provider } from "./provider";
import { ResourceState, StackState } from "./state";

/** What a program asks for: one resource as it should be. */
export interface Goal {
    type: string;
    name: string;
    custom: boolean;
    parent?: string;
    inputs: ResourceState["inputs"];
    dependencies: string[];
    propertyDependencies: Record<string, string[]>;
    provider?: string;
    protect?: boolean;
    retainOnDelete?: boolean;
    deletedWith?: string;
    deleteBeforeReplace?: boolean;
    ignoreChanges: string[];
    replaceOnChanges: string[];
    additionalSecretOutputs: string[];
    aliases: AliasSpec[];
}

export type AliasSpec = { urn: string } | { name?: string; type?: string; parent?: string; noParent?: boolean };

/** Who manages a resource; the explicit providers of a program are known once they are registered. */
export interface Providers {
    of(resource: { type: string; provider?: string }): Provider;
}

/** One run of the engine over one stack. */
export interface Deployment {
    readonly preview: boolean;
    readonly project: string;
    readonly stack: string;
    readonly state: StackState;
    /** The resources of the state as the run began, by URN. */
    readonly olds: Map<string, ResourceState>;
    /** What this run has come to, by URN; in a preview what it would come to. */
    readonly news: Map<string, ResourceState>;
    /** URNs of the old state that resources of the program have taken over under another name. */
    readonly aliased: Map<string, string>;
    /** Deleted early, because what they need is replaced by deleting first. */
    readonly deletedEarly: Set<string>;
    readonly providers: Providers;
    readonly report: Reporter;
    readonly changes: Partial<Record<Operation, number>>;
    readonly steps: Set<Promise<unknown>>;
    /** Set by the first failure: no step begins after it. */
    readonly cancellation: { cancelled: boolean; signal: Promise<never>; cancel(): void };
}

export function createDeployment(options: {
    preview: boolean;
    project: string;
    stack: string;
    state: StackState;
    providers: (deployment: () => Deployment) => Providers;
    report: Reporter;
}): Deployment {
    let reject: (reason: Error) => void;
    const signal = new Promise<never>((_, fail) => (reject = fail));
    signal.catch(() => undefined);
    const cancellation = {
        cancelled: false,
        signal,
        cancel() {
            cancellation.cancelled = true;
            reject(new Cancelled());
        },
    };
    const deployment: Deployment = {
        preview: options.preview,
        project: options.project,
        stack: options.stack,
        state: options.state,
        olds: new Map(options.state.resources.filter((each) => !each.delete).map((each) => [each.urn, each])),
        news: new Map(),
        aliased: new Map(),
        deletedEarly: new Set(),
        providers: options.providers(() => deployment),
        report: options.report,
        changes: {},
        steps: new Set(),
        cancellation,
    };
    return deployment;
}

/** Another step failed: this one was not begun. */
export class Cancelled extends Error {
    constructor() {
        super("the run was stopped by an earlier failure");
    }
}

const pendingNames: Partial<Record<Operation, "creating" | "updating" | "deleting">> = {
    create: "creating",
    "create-replacement": "creating",
    update: "updating",
    delete: "deleting",
    "delete-replaced": "deleting",
};

/**
 * Carries one step out: told to the reporter, written to the state before and after, counted. A failure is reported and
 * stops the run: what is under way ends, nothing new begins.
 */
export async function runStep(deployment: Deployment, step: Step, apply: () => Promise<void>): Promise<void> {
    if (deployment.cancellation.cancelled) {
        throw new Cancelled();
    }
    const name = pendingNames[step.operation];
    const pending = name === undefined || deployment.preview ? undefined : { urn: step.urn, operation: name };
    const started = Date.now();
    deployment.report.stepStarted(step);
    if (pending !== undefined) {
        deployment.state.begin(pending);
    }
    const finishPending = (): void => {
        if (pending !== undefined) {
            deployment.state.end(pending);
        }
    };
    const work = apply().finally(finishPending);
    deployment.steps.add(work);
    try {
        await work;
    } catch (error) {
        deployment.report.diagnostic({ severity: "error", urn: step.urn, message: (error as Error).message });
        deployment.report.stepFailed(step, Date.now() - started);
        deployment.cancellation.cancel();
        throw new Cancelled();
    } finally {
        deployment.steps.delete(work);
    }
    deployment.changes[step.operation] = (deployment.changes[step.operation] ?? 0) + 1;
    deployment.report.stepDone(step, Date.now() - started);
}

/** Puts a resource into the state in place of the one of its URN; in a preview, only into what is foreseen. */
export function putResource(deployment: Deployment, resource: ResourceState): void {
    deployment.news.set(resource.urn, resource);
    if (deployment.preview) {
        return;
    }
    const { resources } = deployment.state;
    const index = resources.findIndex((each) => each.urn === resource.urn && !each.delete);
    if (index >= 0) {
        resources[index] = resource;
    } else {
        resources.push(resource);
    }
}

export function removeResource(deployment: Deployment, resource: ResourceState): void {
    const { resources } = deployment.state;
    const index = resources.indexOf(resource);
    if (!deployment.preview && index >= 0) {
        resources.splice(index, 1);
    }
}
