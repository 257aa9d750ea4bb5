import { type Operation, type Reporter, type Step } from "./events";
import { type Provider } from "./provider";
import { type ResourceState, type StackState } from "./state";

/** What a program asks for: the desired state of one resource. */
export interface Goal {
    /** The type token, such as `kubernetes:core/v1:ConfigMap`. */
    type: string;
    /** The name given by the program, which is the last part of the URN. */
    name: string;
    /** Whether a provider manages it. False for a component. */
    custom: boolean;
    /** The URN of the parent. Undefined only for the stack itself. */
    parent?: string;
    inputs: ResourceState["inputs"];
    /** The URNs of all resources that it depends on. */
    dependencies: string[];
    /** For each input, the URNs of the resources it comes from. */
    propertyDependencies: Record<string, string[]>;
    /** `<urn>::<id>` of an explicit provider. Default: the package's default provider. */
    provider?: string;
    protect?: boolean;
    retainOnDelete?: boolean;
    /** The URN of a resource whose deletion also deletes this one, without a separate call. */
    deletedWith?: string;
    /** Default: decided by the provider. */
    deleteBeforeReplace?: boolean;
    /** Property paths, in the form that `applyIgnoreChanges` takes. */
    ignoreChanges: string[];
    /** Paths of properties whose changes the display names but does not show. */
    hideDiffs: string[];
    replaceOnChanges: string[];
    /** The names of outputs that are secret even if the provider does not say so. */
    additionalSecretOutputs: string[];
    aliases: AliasSpec[];
}

/** A previous name of a resource: either its whole URN, or the parts of it that have changed. */
export type AliasSpec = { urn: string } | { name?: string; type?: string; parent?: string; noParent?: boolean };

/** Returns the provider of a resource. Explicit providers of the program are known once they are registered. */
export interface Providers {
    /** Throws if the engine has no provider for that type. The message says what to install. */
    of(resource: { type: string; provider?: string }): Provider;
}

/** One run of the engine on one stack. */
export interface Deployment {
    readonly preview: boolean;
    readonly project: string;
    readonly stack: string;
    readonly state: StackState;
    /** The resources in the state at the start of the run, by URN. */
    readonly olds: Map<string, ResourceState>;
    /** The results of this run so far, by URN. In a preview, the predicted results. */
    readonly news: Map<string, ResourceState>;
    /** The URNs in the old state that resources of the program have taken over under a new name. */
    readonly aliased: Map<string, string>;
    /** Resources deleted early, because something they depend on is replaced by deleting it first. */
    readonly deletedEarly: Set<string>;
    readonly providers: Providers;
    readonly report: Reporter;
    /** The number of completed steps of each kind. */
    readonly changes: Partial<Record<Operation, number>>;
    /** The steps in progress. */
    readonly steps: Set<Promise<unknown>>;
    /** Set by the first failure. No step starts after it. */
    readonly cancellation: { cancelled: boolean; signal: Promise<never>; cancel(): void };
}

/** Prepares a run on a stack. Nothing is done yet, and `olds` is the current state. */
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

/** Thrown instead of starting a step after another step has failed. */
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
 * Carries out one step: reports it, writes the state before and after it, and counts it. A failure is reported and
 * stops the run: steps in progress finish, and no new ones start.
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

/** Puts a resource into the state in place of the one with the same URN. In a preview, only records the prediction. */
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

/** Removes a resource from the state. Does nothing in a preview or if the resource is not in the state. */
export function removeResource(deployment: Deployment, resource: ResourceState): void {
    const { resources } = deployment.state;
    const index = resources.indexOf(resource);
    if (!deployment.preview && index >= 0) {
        resources.splice(index, 1);
    }
}
