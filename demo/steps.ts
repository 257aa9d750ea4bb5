import type { DataPlaneEvent } from "pulumi-tidb-sandbox";
import type { PulumiOperation, PulumiRun, StartedRun } from "pulumi-tidb-sandbox/pulumi";

/** The environment of a step. */
export interface StepContext {
    /** Runs Pulumi on the example with this configuration to the end. */
    run(operation: PulumiOperation, config: Config): Promise<PulumiRun>;
    /** Starts such a run in a process of its own, which can be killed. */
    start(operation: PulumiOperation, config: Config): StartedRun;
    events(): readonly DataPlaneEvent[];
    log(line: string): void;
}

/** Configuration of `examples/basic`. */
export interface Config {
    version: string;
    tikvReplicas?: string;
    tikvReserveSpace?: string;
}

/** A step of the demo. The text that it returns goes into the table; an error that it throws fails the demo. */
export interface Step {
    title: string;
    run(context: StepContext): Promise<string>;
}

const first: Config = { version: "v8.5.3" };
const upgraded: Config = { version: "v8.5.4" };
const configured: Config = { ...upgraded, tikvReserveSpace: "5GB" };
const four: Config = { ...configured, tikvReplicas: "4" };
const again: Config = { ...configured, version: "v8.5.5" };

/** The life of a cluster, from the first deployment to destroy. */
export const steps: readonly Step[] = [
    { title: "deploy 3 PD, 3 TiKV, 2 TiDB", run: (context) => up(context, first) },
    { title: "up again, nothing changed", run: expectNoChange(first) },
    { title: "preview the upgrade to v8.5.4", run: (context) => previewPlan(context, upgraded) },
    { title: "upgrade to v8.5.4", run: (context) => up(context, upgraded) },
    { title: "change TiKV's configuration", run: (context) => up(context, configured) },
    { title: "scale TiKV 3 to 4", run: (context) => up(context, four) },
    { title: "scale TiKV 4 to 3", run: (context) => up(context, configured) },
    { title: "try TiKV 3 to 2", run: expectRefusal },
    { title: "upgrade to v8.5.5, killed in the middle", run: killInTheMiddle },
    { title: "the next up finishes it", run: (context) => up(context, again) },
    { title: "up again, nothing changed", run: expectNoChange(again) },
    { title: "destroy", run: (context) => finish(context.run("destroy", again)).then(describeChanges) },
];

async function up(context: StepContext, config: Config): Promise<string> {
    return describeChanges(await finish(context.run("up", config)));
}

async function finish(ended: Promise<PulumiRun>): Promise<PulumiRun> {
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

function expectNoChange(config: Config): (context: StepContext) => Promise<string> {
    return async (context) => {
        const run = await finish(context.run("up", config));
        const { create, update, replace, delete: deleted } = run.changes;
        if (create + update + replace + deleted > 0) {
            throw new Error(`expected no changes, got ${describeChanges(run)}`);
        }
        return `no changes, ${run.changes.same} same`;
    };
}

async function previewPlan(context: StepContext, config: Config): Promise<string> {
    const before = context.events().length;
    const run = await finish(context.run("preview", config));
    const plan = run.steps
        .filter((step) => step.type.endsWith(":RolloutGate"))
        .flatMap((step) => Object.entries(step.diff).filter(([path]) => path.startsWith("plan")))
        .flatMap(([, change]) => change.after)
        .filter((line) => typeof line === "string" && line.startsWith("restart"));
    if (plan.length !== 8) {
        throw new Error(`expected a plan of 8 restarts, got ${JSON.stringify(plan)}`);
    }
    if (context.events().length !== before) {
        throw new Error("the preview changed something in the cluster");
    }
    return `a plan of ${plan.length} restarts, nothing changed`;
}

async function expectRefusal(context: StepContext): Promise<string> {
    const run = await context.run("preview", { ...configured, tikvReplicas: "2" });
    const reason = /found .*max-replicas|.*replication\.max-replicas.*/.exec(messages(run) || run.output)?.[0];
    if (run.ok || reason === undefined) {
        throw new Error(`expected the preview to refuse the scale-in, but it ended with exit code ${run.exitCode}`);
    }
    context.log(reason.trim());
    return "refused in the preview";
}

/** Kills the run once it has begun to evict leaders from the second store of the upgrade. */
async function killInTheMiddle(context: StepContext): Promise<string> {
    const begun = () => context.events().filter((event) => event.kind === "eviction-begun").length;
    const before = begun();
    const run = context.start("up", again);
    let over = false;
    void run.done.then(() => (over = true));
    while (begun() < before + 2) {
        if (over) {
            throw new Error("the run ended before it could be killed");
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    run.kill();
    await run.done;
    return "killed during the second store's leader eviction";
}

function messages(run: PulumiRun): string {
    return run.diagnostics
        .filter((diagnostic) => diagnostic.severity === "error")
        .map((diagnostic) => diagnostic.message)
        .join("\n");
}
