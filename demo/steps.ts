import type { DataPlaneEvent } from "pulumi-tidb-sandbox";
import type { PulumiOperation, PulumiRun, StartedRun } from "pulumi-tidb-sandbox/pulumi";

/** What a step works with. */
export interface Stage {
    /** Starts Pulumi on the example with this configuration. */
    start(operation: PulumiOperation, config: Config): StartedRun;
    events(): readonly DataPlaneEvent[];
    say(line: string): void;
}

/** Configuration of `examples/basic`. */
export interface Config {
    version: string;
    tikvReplicas?: string;
    tikvReserveSpace?: string;
}

/** A step of the demo. What it returns goes into the table; what it throws fails the demo. */
export interface Step {
    title: string;
    run(stage: Stage): Promise<string>;
}

const first: Config = { version: "v8.5.3" };
const upgraded: Config = { version: "v8.5.4" };
const configured: Config = { ...upgraded, tikvReserveSpace: "5GB" };
const four: Config = { ...configured, tikvReplicas: "4" };
const again: Config = { ...configured, version: "v8.5.5" };

/** The main job, from an empty cluster to an empty cluster. */
export const steps: readonly Step[] = [
    { title: "deploy 3 PD, 3 TiKV, 2 TiDB", run: (stage) => up(stage, first) },
    { title: "up again, nothing changed", run: expectNoChange(first) },
    { title: "preview the upgrade to v8.5.4", run: (stage) => previewPlan(stage, upgraded) },
    { title: "upgrade to v8.5.4", run: (stage) => up(stage, upgraded) },
    { title: "change TiKV's configuration", run: (stage) => up(stage, configured) },
    { title: "scale TiKV 3 to 4", run: (stage) => up(stage, four) },
    { title: "scale TiKV 4 to 3", run: (stage) => up(stage, configured) },
    { title: "try TiKV 3 to 2", run: expectRefusal },
    { title: "upgrade to v8.5.5, killed in the middle", run: killInTheMiddle },
    { title: "the next up finishes it", run: (stage) => up(stage, again) },
    { title: "up again, nothing changed", run: expectNoChange(again) },
    { title: "destroy", run: (stage) => finish(stage.start("destroy", again)).then(describeChanges) },
];

async function up(stage: Stage, config: Config): Promise<string> {
    return describeChanges(await finish(stage.start("up", config)));
}

async function finish(started: StartedRun): Promise<PulumiRun> {
    const run = await started.done;
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

function expectNoChange(config: Config): (stage: Stage) => Promise<string> {
    return async (stage) => {
        const run = await finish(stage.start("up", config));
        const { create, update, replace, delete: deleted } = run.changes;
        if (create + update + replace + deleted > 0) {
            throw new Error(`expected no step, got ${describeChanges(run)}`);
        }
        return `no step, ${run.changes.same} the same`;
    };
}

async function previewPlan(stage: Stage, config: Config): Promise<string> {
    const before = stage.events().length;
    const run = await finish(stage.start("preview", config));
    const plan = run.steps
        .filter((step) => step.type.endsWith(":RolloutGate"))
        .flatMap((step) => Object.entries(step.diff).filter(([path]) => path.startsWith("plan")))
        .flatMap(([, change]) => change.after)
        .filter((line) => typeof line === "string" && line.startsWith("restart"));
    if (plan.length !== 8) {
        throw new Error(`expected a plan of 8 restarts, got ${JSON.stringify(plan)}`);
    }
    if (stage.events().length !== before) {
        throw new Error("the preview changed something in the cluster");
    }
    return `a plan of ${plan.length} restarts, nothing touched`;
}

async function expectRefusal(stage: Stage): Promise<string> {
    const run = await stage.start("preview", { ...configured, tikvReplicas: "2" }).done;
    const reason = /found .*max-replicas|.*replication\.max-replicas.*/.exec(messages(run) || run.output)?.[0];
    if (run.ok || reason === undefined) {
        throw new Error(`expected the preview to refuse it; it ended with exit code ${run.exitCode}`);
    }
    stage.say(reason.trim());
    return "refused in the preview";
}

/** Kills the run when the second store of the upgrade has begun to lose its leaders. */
async function killInTheMiddle(stage: Stage): Promise<string> {
    const begun = () => stage.events().filter((event) => event.kind === "eviction-begun").length;
    const before = begun();
    const run = stage.start("up", again);
    let over = false;
    void run.done.then(() => (over = true));
    while (begun() < before + 2) {
        if (over) {
            throw new Error("the run was over before it could be killed");
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    run.kill();
    await run.done;
    return "killed while the second store's leaders left";
}

function messages(run: PulumiRun): string {
    return run.diagnostics
        .filter((diagnostic) => diagnostic.severity === "error")
        .map((diagnostic) => diagnostic.message)
        .join("\n");
}
