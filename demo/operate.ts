import { destroy, expectNoChange, finish, messages, type Step, type StepContext, up } from "./step";

/** Configuration of `examples/basic`. */
type Config = {
    version: string;
    tikvReplicas?: string;
    tikvReserveSpace?: string;
};

const first: Config = { version: "v8.5.3" };
const upgraded: Config = { version: "v8.5.4" };
const configured: Config = { ...upgraded, tikvReserveSpace: "5GB" };
const four: Config = { ...configured, tikvReplicas: "4" };
const again: Config = { ...configured, version: "v8.5.5" };

/** The life of a cluster, from the first deployment to destroy. */
export const operations: readonly Step[] = [
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
    destroy(again),
];

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
