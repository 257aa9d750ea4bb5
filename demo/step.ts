import type { DataPlaneEvent, SimulatedCluster } from "pulumi-tidb-sandbox";
import type { PulumiOperation, PulumiRun, StartedRun } from "pulumi-tidb-sandbox/pulumi";

/** The program's configuration in one run. */
export type Config = Readonly<Record<string, string>>;

/** The environment of a step. */
export interface StepContext {
    /** Runs Pulumi on the example with this configuration to the end. */
    run(operation: PulumiOperation, config: Config): Promise<PulumiRun>;
    /** Starts such a run in a process of its own, which can be killed. */
    start(operation: PulumiOperation, config: Config): StartedRun;
    /** The cluster as the sandbox plays it. @throws Error if it has neither pods nor data. */
    cluster(): SimulatedCluster;
    events(): readonly DataPlaneEvent[];
    log(line: string): void;
}

/** A step of the demo. The text that it returns goes into the table; an error that it throws fails the demo. */
export interface Step {
    title: string;
    /** Whether it is meant to end the cluster. What PD sees meanwhile is not counted. */
    destroys?: boolean;
    run(context: StepContext): Promise<string>;
}

export async function up(context: StepContext, config: Config): Promise<string> {
    return describeChanges(await finish(context.run("up", config)));
}

export async function finish(ended: Promise<PulumiRun>): Promise<PulumiRun> {
    const run = await ended;
    if (!run.ok) {
        throw new Error(`exit code ${run.exitCode}: ${messages(run) || run.output.slice(-2000)}`);
    }
    return run;
}

function describeChanges({ changes }: PulumiRun): string {
    const words = (["create", "update", "replace", "delete", "same"] as const)
        .filter((kind) => changes[kind] > 0)
        .map((kind) => `${changes[kind]} ${kind}`);
    return words.join(", ");
}

export function expectNoChange(config: Config): (context: StepContext) => Promise<string> {
    return async (context) => {
        const run = await finish(context.run("up", config));
        const { create, update, replace, delete: deleted } = run.changes;
        if (create + update + replace + deleted > 0) {
            throw new Error(`expected no changes, got ${describeChanges(run)}`);
        }
        return `no changes, ${run.changes.same} same`;
    };
}

export function messages(run: PulumiRun): string {
    return run.diagnostics
        .filter((diagnostic) => diagnostic.severity === "error")
        .map((diagnostic) => diagnostic.message)
        .join("\n");
}

/** @returns a step that removes the cluster with everything that its program has made. */
export function destroy(config: Config): Step {
    return {
        title: "destroy",
        destroys: true,
        run: (context) => finish(context.run("destroy", config)).then(describeChanges),
    };
}
