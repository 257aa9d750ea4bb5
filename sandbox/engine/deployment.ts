import { type Operation, type Reporter, type Step } from "./events";
import { type Provider } from "./provider";
import { type ResourceState, type StackState } from "./state";

/** What a program asks for: one resource as it should be. */
export interface Goal {
    /** Its type token, such as `kubernetes:core/v1:ConfigMap`. */
    type: string;
    /** The name that the program gave it: the last part of its URN. */
    name: string;
    /** Managed by a provider; a component is not. */
    custom: boolean;
    /** URN of the parent. Default: none, which only the stack itself has. */
    parent?: string;
    inputs: ResourceState["inputs"];
    /** URNs of all that it depends on. */
    dependencies: string[];
    /** URNs by the input that comes from them. */
    propertyDependencies: Record<string, string[]>;
    /** `<urn>::<id>` of an explicit provider. Default: the package's default one. */
    provider?: string;
    protect?: boolean;
    retainOnDelete?: boolean;
    /** URN of a resource whose deletion deletes this one too, without a call of its own. */
    deletedWith?: string;
    /** Default: as the provider says. */
    deleteBeforeReplace?: boolean;
    /** Paths of properties, as `applyIgnoreChanges` takes them. */
    ignoreChanges: string[];
    replaceOnChanges: string[];
    /** Names of outputs that are secret though the provider does not say so. */
    additionalSecretOutputs: string[];
    aliases: AliasSpec[];
}

/** A name that a resource had before: its whole URN, or the parts of it that were different then. */
export type AliasSpec = { urn: string } | { name?: string; type?: string; parent?: string; noParent?: boolean };

/** Who manages a resource; the explicit providers of a program are known once they are registered. */
export interface Providers {
    /** @throws when the engine has no provider for that type; the message says what to install */
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
    /** How many steps of each kind have been carried out. */
    readonly changes: Partial<Record<Operation, number>>;
    /** The steps that are under way. */
    readonly steps: Set<Promise<unknown>>;
    /** Set by the first failure: no step begins after it. */
    readonly cancellation: { cancelled: boolean; signal: Promise<never>; cancel(): void };
}

/** Begins a run over a stack: nothing is done yet, and `olds` is the state as it is now. */
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

/** Takes a resource out of the state. A preview changes no state, and one that is not there is no error. */
export function removeResource(deployment: Deployment, resource: ResourceState): void {
    const { resources } = deployment.state;
    const index = resources.indexOf(resource);
    if (!deployment.preview && index >= 0) {
        resources.splice(index, 1);
    }
}
