import { type StartNode } from "../engine/nodeProcess";

/** What a run does. The Pulumi CLI and the sandbox's engine support the same operations and return the same result. */
export type PulumiOperation = "preview" | "up" | "destroy" | "refresh";

/** What to run, and how. */
export interface PulumiOptions {
    /** The folder with Pulumi.yaml. */
    program: string;
    stack: string;
    /** The folder that holds the state. Each engine needs a separate one. */
    stateFolder: string;
    /** Added to the environment of this process. */
    environment: Record<string, string>;
    /** Configuration of the stack. A key without a namespace belongs to the project. */
    config?: Record<string, string>;
    /** Folders to search for providers of other packages, after those on PATH. */
    pluginFolders?: string[];
    /** Called with each line of output as it is printed. */
    onLine?: (line: string) => void;
    /** Shows the properties that change. Default: false. */
    diff?: boolean;
    /** Skips the preview before the operation. Default: false. */
    skipPreview?: boolean;
    /** Starts the processes of the program and of dynamic resources in a `run` by the sandbox's engine. Default: each time a new process. */
    startNode?: StartNode;
}

/** What a run does with a resource. */
export type ChangeKind = "create" | "update" | "replace" | "delete" | "same" | "read";

/** What a run did, or a preview would do, with one resource. */
export interface PulumiStep {
    op: string;
    urn: string;
    type: string;
    name: string;
    /** The inputs that differ, by path. Secrets are shown as `[secret]`. */
    diff: Record<string, { before?: unknown; after?: unknown }>;
}

/** A message from the program, a provider or the engine. */
export interface PulumiDiagnostic {
    severity: string;
    urn?: string;
    message: string;
}

/** The result of a run. For an `up` with a preview it describes the update, or the preview if that failed. */
export interface PulumiRun {
    ok: boolean;
    /** Null if the run was killed. */
    exitCode: number | null;
    /** All lines that the run printed. */
    output: string;
    /** The number of resources for each kind of change. Pulumi's default providers are not counted. */
    changes: Record<ChangeKind, number>;
    /** The stack's outputs. Secrets are shown as `[secret]`. */
    outputs: Record<string, unknown>;
    steps: PulumiStep[];
    diagnostics: PulumiDiagnostic[];
    milliseconds: number;
}

/** A run in progress. */
export interface StartedRun {
    pid: number;
    /** Sends SIGKILL to the run and all processes it started. */
    kill(): void;
    /** Resolves when the run ends, also when it failed. Rejects if the engine cannot be started. */
    done: Promise<PulumiRun>;
}

/** One of the two engines. */
export interface PulumiDriver {
    readonly kind: "pulumi-cli" | "sandbox-engine";
    /** Which engine it is, and why it was chosen, as text for the user. */
    readonly why: string;
    /**
     * Looks for the provider of a package, and installs it if it can be downloaded.
     * @returns undefined if the provider is available, otherwise why it is not
     */
    providePlugin(packageName: string, version: string): Promise<string | undefined>;
    /** Starts a run in a process of its own, which can be killed. */
    start(operation: PulumiOperation, options: PulumiOptions): StartedRun;
    /**
     * Runs to the end. The sandbox's engine works in the caller's process then, because starting it costs as much as the rest of
     * its work. The program and the providers still get processes of their own.
     */
    run(operation: PulumiOperation, options: PulumiOptions): Promise<PulumiRun>;
}
