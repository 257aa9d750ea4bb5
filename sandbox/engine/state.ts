import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { isRunning } from "../controlPlane/processes";
import { type StateSecrets, stateSecrets } from "./stateSecrets";
import { type PropertyMap, type PropertyValue } from "./values";

/** What is kept of one resource between runs. */
export interface ResourceState {
    urn: string;
    /** Its type token, such as `kubernetes:core/v1:ConfigMap`. */
    type: string;
    /** Managed by a provider; a component is not. */
    custom: boolean;
    /** The provider's name of it; absent for a component. */
    id?: string;
    inputs: PropertyMap;
    outputs: PropertyMap;
    /** URN of the parent. */
    parent?: string;
    /** URNs of all that it depends on. */
    dependencies: string[];
    /** URNs by the input that comes from them. */
    propertyDependencies: Record<string, string[]>;
    /** `<urn>::<id>` of an explicit provider; absent for the default one. */
    provider?: string;
    protect?: boolean;
    retainOnDelete?: boolean;
    /** URN of a resource whose deletion deletes this one too. */
    deletedWith?: string;
    ignoreChanges?: string[];
    /** Replaced by another one of the same URN, and to be deleted. */
    delete?: boolean;
    /** Deleted in order to be created anew, which has not happened yet. */
    pendingReplacement?: boolean;
    /** Read, not owned: never deleted. */
    external?: boolean;
    /** Why it did not become ready after it was made; the next `up` tries again. */
    initErrors?: string[];
}

/** A step that was begun: what a run that is killed leaves behind. */
export interface PendingOperation {
    urn: string;
    operation: "creating" | "updating" | "deleting";
}

interface StateFile {
    version: 1;
    project: string;
    stack: string;
    salt: string;
    pendingOperations: PendingOperation[];
    resources: ResourceState[];
}

/** The state of one stack, in memory and in its file. */
export interface StackState {
    resources: ResourceState[];
    /** What a run that was killed had begun. */
    readonly interrupted: PendingOperation[];
    /** Notes a step in the file before it is carried out. */
    begin(operation: PendingOperation): void;
    /** Takes the note back: the step is over, done or failed. */
    end(operation: PendingOperation): void;
    /** Writes the file: the old one stays whole until the new one is. */
    save(): void;
    /** Lets other runs have the stack. Nothing where it was opened without a lock. */
    unlock(): void;
}

/** Which stack, and what opens its secrets. */
export interface StackName {
    /** Where the state's file lies. */
    folder: string;
    project: string;
    stack: string;
    /** That of `PULUMI_CONFIG_PASSPHRASE`; it may be empty. */
    passphrase: string;
}

/**
 * Opens the state of a stack.
 * @throws when another run that is still alive holds it, or when its secrets do not open
 */
export function openState(name: StackName, options: { lock: boolean }): StackState {
    const base = path.join(name.folder, `${name.project}.${name.stack}`);
    mkdirSync(name.folder, { recursive: true });
    if (options.lock) {
        takeLock(`${base}.lock`, name.stack);
    }
    const file = `${base}.json`;
    const saved = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as StateFile) : undefined;
    const secrets = stateSecrets(name.passphrase, saved?.salt);
    const pending: PendingOperation[] = [];

    const state: StackState = {
        resources: (saved?.resources ?? []).map((resource) => convert(resource, secrets.open)),
        interrupted: saved?.pendingOperations ?? [],
        begin(operation) {
            pending.push(operation);
            state.save();
        },
        end(operation) {
            pending.splice(pending.indexOf(operation), 1);
            state.save();
        },
        save() {
            writeAtomically(file, render(name, secrets, pending, state.resources));
        },
        unlock() {
            if (options.lock) {
                rmSync(`${base}.lock`, { force: true });
            }
        },
    };
    return state;
}

function render(name: StackName, secrets: StateSecrets, pending: PendingOperation[], all: ResourceState[]): string {
    const resources = all.map((resource) => convert(resource, secrets.seal));
    const content: StateFile = {
        version: 1,
        project: name.project,
        stack: name.stack,
        salt: secrets.salt,
        pendingOperations: pending,
        resources,
    };
    return JSON.stringify(content, undefined, 2);
}

function convert(resource: ResourceState, map: (value: PropertyValue) => PropertyValue): ResourceState {
    return { ...resource, inputs: map(resource.inputs) as PropertyMap, outputs: map(resource.outputs) as PropertyMap };
}

function writeAtomically(file: string, text: string): void {
    const temporary = `${file}.${process.pid}.tmp`;
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, file);
}

function takeLock(file: string, stack: string): void {
    for (let attempt = 0; attempt < 2; attempt++) {
        try {
            const descriptor = openSync(file, "wx");
            writeFileSync(descriptor, String(process.pid));
            closeSync(descriptor);
            return;
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
                throw error;
            }
        }
        const holder = Number(readFileSync(file, "utf8"));
        if (isRunning(holder)) {
            throw new Error(
                `the stack '${stack}' is currently locked by another run (process ${holder}). Wait until it ends.`,
            );
        }
        // Its process is gone, so it was killed: what it had begun is in the pending operations.
        rmSync(file, { force: true });
    }
    throw new Error(`the stack '${stack}' was locked by another run a moment ago (${file}). Try again.`);
}
