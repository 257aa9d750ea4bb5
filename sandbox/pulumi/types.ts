/** How a program is brought to be: by the real Pulumi CLI, or by the sandbox's engine. Both give the same run. */
export type PulumiOperation = "preview" | "up" | "destroy" | "refresh";

/** What a program is run with. */
export interface PulumiOptions {
    /** The folder with Pulumi.yaml. */
    program: string;
    stack: string;
    /** Where the state is kept: a folder of its own for each engine. */
    stateFolder: string;
    /** Added to the environment of this process. */
    environment: Record<string, string>;
    /** Configuration of the stack. A key without a namespace belongs to the project. */
    config?: Record<string, string>;
    /** Folders that are searched for providers of other packages, after those of PATH. */
    pluginFolders?: string[];
    /** Every line of output as it comes. */
    onLine?: (line: string) => void;
    /** Shows the properties that change. */
    diff?: boolean;
    /** Carries out at once, without the preview that comes before. False by default. */
    skipPreview?: boolean;
}

/** What a run comes to for a resource. */
export type ChangeKind = "create" | "update" | "replace" | "delete" | "same" | "read";

/** What was done, or would be, with one resource. */
export interface PulumiStep {
    op: string;
    urn: string;
    type: string;
    name: string;
    /** Inputs that differ, by path. Secrets are `[secret]`. */
    diff: Record<string, { before?: unknown; after?: unknown }>;
}

/** A message of the program, a provider or the engine. */
export interface PulumiDiagnostic {
    severity: string;
    urn?: string;
    message: string;
}

/** What came of a run. An `up` with its preview tells of the update, or of the preview where that failed. */
export interface PulumiRun {
    ok: boolean;
    /** Null when it was killed. */
    exitCode: number | null;
    /** Everything that it printed. */
    output: string;
    /** How many resources came to what; providers that Pulumi makes by itself are not counted. */
    changes: Record<ChangeKind, number>;
    /** The stack's outputs; secrets are `[secret]`. */
    outputs: Record<string, unknown>;
    steps: PulumiStep[];
    diagnostics: PulumiDiagnostic[];
    milliseconds: number;
}

/** A run that is under way. */
export interface StartedRun {
    pid: number;
    /** SIGKILL to it and all that it started. */
    kill(): void;
    /** How it ended; a run that failed does not reject. @throws when the engine cannot be started */
    done: Promise<PulumiRun>;
}

/** One of the two engines. */
export interface PulumiDriver {
    readonly kind: "pulumi-cli" | "sandbox-engine";
    /** Which one, and why: a sentence for the user. */
    readonly why: string;
    /**
     * Looks for the provider of a package, and installs it where it can be downloaded.
     * @returns undefined when it is at hand, else why it is not
     */
    providePlugin(packageName: string, version: string): Promise<string | undefined>;
    start(operation: PulumiOperation, options: PulumiOptions): StartedRun;
}
