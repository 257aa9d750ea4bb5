import { lockState, type LockWatch, watchLock } from "../../../provider/lifecycle/lock";
import { createGate, type Gate, type GateDefinition, type GateWorld } from "../../../provider/gates/gate";
import type { GateProgramInputs, ReadyProgramInputs } from "../../../provider/gates/inputs";
import type { GatePorts, HeldLock } from "../../../provider/gates/ports";
import { readyGateDefinition } from "../../../provider/gates/readyGate";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import type { Component } from "../../../provider/lifecycle/observation";
import { defaultPolicy, type GatePolicy } from "../../../provider/lifecycle/target";
import { advance, writeStatefulSet } from "./advance";
import { observe } from "./observe";
import { perform } from "./perform";
import { findReplicasViolation } from "./rules";
import { clusterName, type Simulation } from "./state";

/** What the program asks for. */
export interface Goal {
    pd: number;
    /** Default: the cluster has none. */
    tiflash?: number;
    tikv: number;
    tidb: number;
    revision: string;
    policy?: Partial<GatePolicy>;
}

/** Where a run is killed: at its n-th change of the world, before it or right after it. */
export interface Interruption {
    change: number;
    when: "before" | "after";
    /** Killed at once, or asked to stop at the next safe point. */
    how: "kill" | "stop" | "refuse";
}

export interface RunResult {
    ending: "done" | "killed" | "failed";
    error?: Error;
    /** Changes of the world: actions, records, taking and giving back the lock. */
    changes: number;
    /** Actions alone. */
    actions: number;
    says: string[];
    /** Its name on the lock. */
    holder: string;
}

/** What Pulumi's state knows of the gates after the runs so far. */
export type Stack = Record<string, Record<string, unknown>>;

/** The members that the model has. */
export type ModelledMember = Extract<Component, "pd" | "tiflash" | "tikv" | "tidb">;

/** In the order of a roll-out. */
export const modelledMembers: readonly ModelledMember[] = ["pd", "tiflash", "tikv", "tidb"];
let runs = 0;

/** One `pulumi up`, through the real gates, on the model. */
export async function up(state: Simulation, stack: Stack, goal: Goal, interruption?: Interruption): Promise<RunResult> {
    const result: RunResult = {
        ending: "done",
        changes: 0,
        actions: 0,
        says: [],
        holder: `ana@laptop, process ${++runs}`,
    };
    let killed = () => {};
    const death = new Promise<void>((resolve) => (killed = resolve));
    const ports = portsOn(state, result, interruption, () => {
        result.ending = "killed";
        killed();
    });
    const policy = { ...defaultPolicy, ...goal.policy };
    const components = modelledMembers.filter((one) => goal[one] !== undefined);
    const sizeOf = (one: ModelledMember) => goal[one] ?? 0;
    state.wanted = Object.fromEntries(components.map((one) => [one, sizeOf(one)]));
    state.evictDeadlineSeconds =
        policy.afterEvictLeaderTimeout === "restart" ? policy.evictLeaderTimeoutSeconds : undefined;
    const world: GateWorld = {
        progress: () => ports.progress,
        tryAccess: () => Promise.resolve(),
        open: () => Promise.resolve(ports),
    };
    const program = async () => {
        for (const component of components) {
            const told = inputsOf(component, goal, policy);
            await step(
                stack,
                `scale ${component}`,
                createGate(scaleGateDefinition as GateDefinition<GateProgramInputs>, world),
                {
                    ...told,
                    templateRevision: undefined,
                },
            );
            const violation = findReplicasViolation(state, component, sizeOf(component));
            if (violation) {
                state.violations.push(violation);
            }
            writeStatefulSet(state, component, sizeOf(component), goal.revision);
            await step(stack, `rollout ${component}`, createGate(rolloutGateDefinition, world), { ...told });
        }
        const members = components.map((one) => ({
            component: one,
            replicas: sizeOf(one),
            templateRevision: goal.revision,
            policy,
        }));
        const { namespace, cluster, instance, access, leaseUid, pd, gate, statusUrn } = inputsOf("pd", goal, policy);
        const inputs: ReadyProgramInputs = {
            namespace,
            cluster,
            instance,
            access,
            leaseUid,
            pd,
            gate,
            statusUrn,
            members,
        };
        await step(stack, "ready", createGate(readyGateDefinition, world), { ...inputs });
    };
    await Promise.race([
        death,
        program().catch((error: Error) => {
            if (result.ending !== "killed") {
                result.ending = "failed";
                result.error = error;
            }
        }),
    ]);
    return result;
}

/** check, diff, and create or update, as Pulumi calls them; only what succeeded is remembered. */
async function step(stack: Stack, name: string, gate: Gate, told: Record<string, unknown>): Promise<void> {
    const olds = stack[name];
    const { inputs, failures } = await gate.check(olds ?? {}, told);
    if (failures) {
        throw new Error(`refused: ${failures[0].property}: ${failures[0].reason}`);
    }
    if (!olds) {
        stack[name] = (await gate.create(inputs)).outs;
    } else if ((await gate.diff(name, olds, inputs)).changes) {
        stack[name] = (await gate.update(name, olds, inputs)).outs;
    }
}

function inputsOf(component: ModelledMember, goal: Goal, policy: GatePolicy): GateProgramInputs {
    return {
        namespace: "tidb",
        cluster: clusterName,
        instance: clusterName,
        access: {},
        leaseUid: "lease-1",
        pd: { namespace: "tidb", cluster: clusterName, instance: clusterName, tls: false },
        component,
        desiredReplicas: goal[component] ?? 0,
        templateRevision: goal.revision,
        policy,
        fixed: { podManagementPolicy: "Parallel", serviceName: `${clusterName}-${component}-peer`, claims: [] },
        gate: "",
        statusUrn: "",
    };
}

function portsOn(
    state: Simulation,
    result: RunResult,
    interruption: Interruption | undefined,
    die: () => void,
): GatePorts {
    const { holder } = result;
    let dead = false;
    let stop = false;
    let watch: LockWatch | undefined;
    /** Every change of the world passes here, so that a run can be killed at each. */
    const change = async (work: () => void): Promise<void> => {
        if (dead) {
            return new Promise(() => {});
        }
        const here = result.changes === interruption?.change;
        result.changes += 1;
        if (here && interruption.how === "refuse") {
            if (interruption.when === "after") {
                work();
            }
            throw new Error("time-out");
        }
        if (!here || interruption.when === "after") {
            work();
        }
        if (here && interruption.how === "kill") {
            dead = true;
            die();
            return new Promise(() => {});
        }
        if (here && interruption.when === "before") {
            work();
        }
        stop ||= here;
    };
    const renew = () => {
        if (state.lease.lock.holder === holder && !dead) {
            state.lease.lock.renewedAt = state.now;
        }
    };
    const pass = (milliseconds: number): Promise<void> => {
        if (!dead) {
            for (let left = milliseconds; left > 0; left -= 2_000) {
                advance(state, Math.min(left, 2_000));
                renew();
            }
        }
        return dead ? new Promise(() => {}) : Promise.resolve();
    };
    const lock: HeldLock = {
        confirmHeld: () =>
            state.lease.lock.holder === holder ? Promise.resolve() : Promise.reject(new Error("the lock was lost")),
        describe: () => Promise.resolve(),
        keepRecords: (records) => change(() => (state.lease.records = structuredClone(records))),
        release: () => change(() => (state.lease.lock = {})),
    };
    return {
        now: () => state.now,
        sleep: pass,
        lease: () =>
            Promise.resolve({
                uid: "lease-1",
                resourceVersion: "1",
                lock: { ...state.lease.lock },
                records: structuredClone(state.lease.records),
            }),
        look: async (options) => {
            await pass(50);
            return { ...observe(state, options), stopRequest: stop ? "ben" : undefined };
        },
        perform: async (action) => {
            result.actions += 1;
            if (state.lease.lock.holder !== holder) {
                state.violations.push(`rule 7: ${action.do} without the lock`);
            }
            await change(() => perform(state, action));
        },
        tryLock: async (lease, operation) => {
            watch = watchLock(lease.lock, watch, state.now);
            const found = lockState(lease.lock, holder, watch, state.now);
            if (!found.free) {
                return { heldBy: found.holder, operation: found.operation, expiresAt: found.expiresAt };
            }
            await change(() => (state.lease.lock = { holder, renewedAt: state.now, durationSeconds: 10, operation }));
            return { lock };
        },
        progress: {
            info: (message) => result.says.push(`info ${message}`),
            warn: (message) => result.says.push(`warn ${message}`),
            status: (message) => result.says.push(`status ${message}`),
        },
    };
}
