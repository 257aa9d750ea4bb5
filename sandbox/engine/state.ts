import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { makeFolder } from "../controlPlane/makeFolder";
import { isRunning } from "../controlPlane/processes";
import { type StateSecrets, stateSecrets } from "./stateSecrets";
import { type PropertyMap, type PropertyValue } from "./values";

/** The saved state of one resource. */
export interface ResourceState {
    urn: string;
    /** The type token, such as `kubernetes:core/v1:ConfigMap`. */
    type: string;
    /** Whether a provider manages it. False for a component. */
    custom: boolean;
    /** The id given by the provider. Absent for a component. */
    id?: string;
    inputs: PropertyMap;
    outputs: PropertyMap;
    /** The URN of the parent. */
    parent?: string;
    /** The URNs of all resources that it depends on. */
    dependencies: string[];
    /** For each input, the URNs of the resources it comes from. */
    propertyDependencies: Record<string, string[]>;
    /** `<urn>::<id>` of an explicit provider. Absent for the default provider. */
    provider?: string;
    protect?: boolean;
    retainOnDelete?: boolean;
    /** The URN of a resource whose deletion also deletes this one. */
    deletedWith?: string;
    ignoreChanges?: string[];
    hideDiffs?: string[];
    /** Whether it was replaced by another resource with the same URN and is still to be deleted. */
    delete?: boolean;
    /** Whether it was deleted in order to be recreated, and that has not happened yet. */
    pendingReplacement?: boolean;
    /** Whether it was read only. It is then never deleted. */
    external?: boolean;
    /** Why it did not become ready after its creation. The next `up` tries again. */
    initErrors?: string[];
}

/** A step that was started. A run that is killed leaves these behind. */
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
    /** The steps that a killed run had started. */
    readonly interrupted: PendingOperation[];
    /** Records a step in the file before it is carried out. */
    begin(operation: PendingOperation): void;
    /** Removes the record once the step has succeeded or failed. */
    end(operation: PendingOperation): void;
    /** Writes the file atomically. */
    save(): void;
    /** Releases the lock of the stack. Does nothing if the state was opened without a lock. */
    unlock(): void;
}

/** Identifies a stack and holds the passphrase of its secrets. */
export interface StackName {
    /** The folder of the state file. */
    folder: string;
    project: string;
    stack: string;
    /** The value of `PULUMI_CONFIG_PASSPHRASE`, which may be empty. */
    passphrase: string;
}

/**
 * Opens the state of a stack.
 * @throws if another running process holds its lock, or if its secrets cannot be decrypted
 */
export function openState(name: StackName, options: { lock: boolean }): StackState {
    const base = path.join(name.folder, `${name.project}.${name.stack}`);
    makeFolder(name.folder);
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
        // The process that held the lock was killed. What it had started is in the pending operations.
        rmSync(file, { force: true });
    }
    throw new Error(`the stack '${stack}' has just been locked by another run (${file}). Try again.`);
}
