import { isDeepStrictEqual } from "node:util";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { beforeClusterIsDeleted, releaseCluster } from "../../../provider/gates/destroy";
import { createGate } from "../../../provider/gates/gate";
import { readyGateDefinition } from "../../../provider/gates/readyGate";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import type { PlanItem } from "../../../provider/lifecycle/walks/describePlan";
import type { DryRun } from "../../../provider/lifecycle/dryRun/dryRun";
import type { GatePolicy } from "../../../provider/lifecycle/vocabulary/target";
import { chanceUpTo } from "./chance";
import type { ClusterKey } from "./clusterKey";
import { writeStatefulSet } from "./kubernetes";
import { type Clocks, type Interruption, SimulatedProcess } from "./process";
import {
    clusterInputs,
    type Goal,
    memberInputs,
    membersOf,
    type ModelledMember,
    policyOf,
    readyInputs,
    revisionOf,
    volumesOf,
} from "./program";
import { judgeReplicas } from "./rules";
import { createModelSession } from "./session";
import type { Simulation } from "./simulation";
import type { Kubernetes, World } from "./world";

export type { Goal, ModelledMember } from "./program";
export type { Interruption } from "./process";
import type { Gate } from "../../../provider/gates/gateDefinition";
import type { GateWorld } from "../../../provider/gates/gateWorld";

export interface RunResult {
    ending: "done" | "killed" | "failed";
    error?: Error;
    /** The number of changes to the world: actions, records, taking and releasing the lock. */
    changes: number;
    /** The number of actions. */
    actions: number;
    messages: string[];
    /** Its name on the locks. */
    holder: string;
}

/** Pulumi's state of the gates after the runs so far. */
export type Stack = Record<string, Record<string, unknown>>;

export interface RunOptions {
    /** Which cluster's program it is. Default: ours. */
    of?: ClusterKey;
    interruptions?: readonly Interruption[];
    clocks?: Clocks;
    /** Whether an update is begun that its preview refuses because it is foreseen to fail. Default: it is not, as with Pulumi. */
    triesWhatFails?: boolean;
    /** Called right before and right after each change of the world, with its number. */
    onChange?: (when: Interruption["when"], change: number) => void;
}

/** A run that was started. */
export interface Running {
    result: RunResult;
    isOver(): boolean;
}

/** A gate refused its inputs before it changed anything. */
export class Refused extends Error {}

let runs = 0;

/** One `pulumi up` with the real gates on the model. */
export async function up(
    simulation: Simulation,
    stack: Stack,
    goal: Goal,
    interruption?: Interruption,
    options: RunOptions = {},
): Promise<RunResult> {
    const running = beginUp(
        simulation,
        stack,
        goal,
        interruption ? { ...options, interruptions: [interruption] } : options,
    );
    await simulation.timeline.play(running.isOver);
    return running.result;
}

/** One `pulumi destroy`, as far as gates take part in it. */
export async function destroy(simulation: Simulation, stack: Stack, options: RunOptions = {}): Promise<RunResult> {
    const running = beginDestroy(simulation, stack, options);
    await simulation.timeline.play(running.isOver);
    return running.result;
}

/** Starts a `pulumi up`, which proceeds while the timeline is played. */
export function beginUp(simulation: Simulation, stack: Stack, goal: Goal, options: RunOptions = {}): Running {
    return begin(
        simulation,
        options,
        (process, gates, changes) =>
            program(simulation.world, process, stack, goal, gates, {
                changes,
                triesWhatFails: options.triesWhatFails === true,
            }),
        goal,
    );
}

function beginDestroy(simulation: Simulation, stack: Stack, options: RunOptions = {}): Running {
    return begin(simulation, options, async (_process, gates) => {
        if (stack.ready) {
            await beforeClusterIsDeleted("", stack.ready, gates);
        }
        if (stack.cluster) {
            await releaseCluster("", stack.cluster, gates);
        }
    });
}

type Work = (process: SimulatedProcess, gates: GateWorld, changes: Changes) => Promise<void>;
/** Wraps Pulumi's own changes, so a dead run makes none. */
type Changes = (work: () => void) => Promise<void>;

function begin(simulation: Simulation, options: RunOptions, work: Work, goal?: Goal): Running {
    const { world, timeline } = simulation;
    const { of = "ours", interruptions = [], clocks = { skew: 0 }, onChange } = options;
    const holder = `${of} ${++runs}`;
    const process = new SimulatedProcess(timeline, of, holder, clocks, interruptions, onChange);
    process.stalledLogin = world.delays.login ?? 0;
    const result: RunResult = { ending: "done", changes: 0, actions: 0, messages: [], holder };
    const cluster = world.clusters[of];
    if (goal) {
        noteWanted(world, of, goal);
    }
    const open = createModelSession(world, cluster, process, result);
    const ports = open();
    const gates: GateWorld = {
        plans: new Map(),
        progress: () => ports.progress,
        tryAccess: () => Promise.resolve(),
        open: () => Promise.resolve(open()),
    };
    let isOver = false;
    const end = () => {
        isOver = true;
        // The process ends with the run and no longer renews anything.
        process.isDead = true;
        result.changes = process.changes;
    };
    const changes: Changes = async (change) => {
        // Pulumi writes seconds after the gate's end. A process that is suspended or dead by then writes later, or nothing.
        await process.sleep(chanceUpTo(world, world.delays.write));
        change();
    };
    work(process, gates, changes).then(end, (error: Error) => {
        result.ending = "failed";
        result.error = error;
        end();
    });
    void process.death.then(() => {
        result.ending = "killed";
        end();
    });
    return { result, isOver: () => isOver };
}

/** The rules judge by what the program asks for, from the moment it is written. */
function noteWanted(world: World, of: ClusterKey, goal: Goal): void {
    const policy = policyOf(goal);
    const cluster = world.clusters[of];
    cluster.wanted = Object.fromEntries(membersOf(goal).map((one) => [one, goal[one]]));
    const { maxUnavailable } = policy;
    cluster.mostTidbDown = typeof maxUnavailable === "number" ? maxUnavailable : 1;
    cluster.evictDeadlineSeconds =
        policy.afterEvictLeaderTimeout === "restart" ? policy.evictLeaderTimeoutSeconds : undefined;
}

/** A gate of a program, with its inputs, and the member whose StatefulSet Pulumi writes after it. */
interface ProgramGate {
    readonly name: string;
    readonly gate: Gate;
    readonly told: Record<string, unknown>;
    readonly writes?: ModelledMember;
}

/** @returns the gates of the program in the order in which Pulumi asks them. */
function gatesOf(cluster: Kubernetes, goal: Goal, gates: GateWorld): ProgramGate[] {
    const policy: GatePolicy = policyOf(goal);
    const ofMembers = membersOf(goal).flatMap((component): ProgramGate[] => {
        const told: Record<string, unknown> = { ...memberInputs(cluster, component, goal, policy) };
        const scale = createGate(scaleGateDefinition, gates);
        return [
            {
                name: `scale ${component}`,
                gate: scale,
                told: { ...told, templateRevision: undefined },
                writes: component,
            },
            { name: `rollout ${component}`, gate: createGate(rolloutGateDefinition, gates), told },
        ];
    });
    return [
        { name: "cluster", gate: createClusterGate(gates), told: { ...clusterInputs(cluster, goal, policy) } },
        ...ofMembers,
        {
            name: "ready",
            gate: createGate(readyGateDefinition, gates),
            told: { ...readyInputs(cluster, goal, policy) },
        },
    ];
}

async function program(
    world: World,
    process: SimulatedProcess,
    stack: Stack,
    goal: Goal,
    gates: GateWorld,
    { changes, triesWhatFails }: { changes: Changes; triesWhatFails: boolean },
): Promise<void> {
    const cluster = world.clusters[process.cluster];
    for (const one of gatesOf(cluster, goal, gates)) {
        await step(stack, one, triesWhatFails);
        const { writes: component } = one;
        if (component === undefined) {
            continue;
        }
        // With the replacements of the dead, which only the gate knows of.
        const replicas = goal.failover ? Number(stack[one.name].replicas) : (goal[component] ?? 0);
        const applied = { replicas, revision: revisionOf(goal, component) };
        const mounts = volumesOf(goal, component);
        await changes(() => {
            // Pulumi compares with its state, and does not see what others have changed since.
            if (!isDeepStrictEqual(cluster.applied[component], applied)) {
                judgeReplicas(world, cluster, component, replicas);
                writeStatefulSet(world, cluster, component, replicas, applied.revision, goal.size, mounts);
                cluster.applied[component] = applied;
            }
        });
    }
    // Pulumi deletes what the program no longer has at the end, without a gate.
    const members = membersOf(goal);
    for (const component of Object.keys(cluster.statefulSets) as (keyof typeof cluster.statefulSets)[]) {
        if (!members.some((one) => one === component)) {
            await changes(() => {
                judgeReplicas(world, cluster, component, 0);
                delete cluster.statefulSets[component];
                cluster.pods = cluster.pods.filter((pod) => pod.component !== component);
                delete stack[`scale ${component}`];
                delete cluster.applied[component];
                delete stack[`rollout ${component}`];
            });
        }
    }
}

/**
 * Calls check, diff, and create or update, as Pulumi does. Only successful steps are kept in the state.
 * @param triesWhatFails whether a refusal that is only foreseen is put to the test.
 */
async function step(stack: Stack, { name, gate, told }: ProgramGate, triesWhatFails: boolean): Promise<void> {
    const olds = stack[name];
    const { inputs, failures } = await gate.check(olds ?? {}, told);
    const isTried =
        failures !== undefined && triesWhatFails && (await gate.planOf(olds ?? {}, told)).foreseen !== undefined;
    if (failures && !isTried) {
        throw new Refused(`refused: ${failures[0].property}: ${failures[0].reason}`);
    }
    if (!olds) {
        stack[name] = (await gate.create(inputs)).outs;
    } else if (isTried || (await gate.diff(name, olds, inputs)).changes) {
        stack[name] = (await gate.update(name, olds, inputs)).outs;
    }
}

/** One `pulumi preview` with the real gates on the model. @returns what its gates foresee, in their order. */
export async function foreseenBy(simulation: Simulation, stack: Stack, goal: Goal): Promise<Foreseen[]> {
    const found: Foreseen[] = [];
    await preview(simulation, goal, async ({ name, gate, told }) => {
        const { foreseen, refused, plan, inputs } = await gate.planOf(stack[name] ?? {}, told);
        found.push({
            gate: name,
            runs: foreseen ?? [],
            isRefused: refused !== undefined && refused.length > 0,
            isOpen: foreseen === undefined && (plan.some(({ is }) => opens.has(is)) || inputs.deferred !== ""),
        });
    });
    return found;
}

/** What of a plan without a dry run leaves open what the update does. The labels of stores do not. */
const opens: ReadonlySet<PlanItem["is"]> = new Set(["task", "reading"]);

/** What one gate's preview foresees. */
export interface Foreseen {
    readonly gate: string;
    readonly runs: readonly DryRun[];
    readonly isRefused: boolean;
    /** Whether it has something to do, or could not ask the cluster, and does not foresee what happens. */
    readonly isOpen: boolean;
}

/** One `pulumi preview` with the real gates on the model. @returns the plans of its rollouts, as their lines. */
export async function previewOf(simulation: Simulation, stack: Stack, goal: Goal): Promise<string[]> {
    const lines: string[] = [];
    await preview(simulation, goal, async ({ name, gate, told }) => {
        if (name.startsWith("rollout ")) {
            const { inputs } = await gate.check(stack[name] ?? {}, told, true);
            lines.push(...(inputs.plan as string[]));
        }
    });
    return lines;
}

/** Asks the gates of a program, one after the other. */
async function preview(simulation: Simulation, goal: Goal, ask: (one: ProgramGate) => Promise<void>): Promise<void> {
    const { result, isOver } = begin(simulation, {}, async (process, gates) => {
        for (const one of gatesOf(simulation.world.clusters[process.cluster], goal, gates)) {
            await ask(one);
        }
    });
    await simulation.timeline.play(isOver);
    if (result.error) {
        throw result.error;
    }
}
