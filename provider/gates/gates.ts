import type { GateName } from "../../topology/gates";
import { beforeUpgradeGateDefinition } from "./beforeUpgradeGate";
import { createClusterGate } from "./clusterGate";
import { createGate } from "./gate";
import { jobGate } from "./jobGate";
import { jobRecord } from "./jobRecord";
import { logBackupGate } from "./logBackupGate";
import { lostNodesGateDefinition } from "./lostNodesGate";
import { passwordGateDefinition } from "./passwordGate";
import { withPlanNumber } from "./planNumber";
import { allSent, clearLines, showOn } from "./progress";
import { readOnlyWorld } from "./readOnlyWorld";
import { readyGate, readyGateDefinition } from "./readyGate";
import { recoveryGateDefinition } from "./recoveryGate";
import { restoreGate } from "./restoreGate";
import { rolloutGate, rolloutGateDefinition } from "./rolloutGate";
import { scaleGate, scaleGateDefinition } from "./scaleGate";
import { scheduleGate } from "./scheduleGate";
import { settingsGateDefinition } from "./settingsGate";
import { suspendGateDefinition } from "./suspendGate";
import { toldOnce } from "./toldOnce";
import type { CheckResult, CommonInputs, Gate, GateDefinition, GateReport } from "./gateDefinition";
import { type GateWorld, liveWorld } from "./gateWorld";
import type { ProgramInputs } from "./inputs";

/** How a gate is made in a world, the live one or one where nothing can be changed. */
interface Row<Program> {
    (world: GateWorld): Gate;
    /** What the program passes to it. Only a type, which its definition must have too. */
    readonly program?: Program;
}

/** The gates, by the input `gate` that each resource carries. See `createGate` for what a gate is. */
const rows: { readonly [Name in GateName]: Row<ProgramInputs[Name]> } = {
    cluster: createClusterGate,
    recovery: defined(recoveryGateDefinition),
    "lost-nodes": defined(lostNodesGateDefinition),
    "before-upgrade": defined(beforeUpgradeGateDefinition()),
    settings: defined(settingsGateDefinition),
    scale: defined(scaleGateDefinition, scaleGate),
    rollout: defined(rolloutGateDefinition, rolloutGate),
    suspend: defined(suspendGateDefinition),
    password: defined(passwordGateDefinition),
    ready: defined(readyGateDefinition, readyGate),
    job: apart(jobGate),
    record: apart(jobRecord),
    restore: apart(restoreGate),
    logBackup: apart(logBackupGate),
    schedule: apart(scheduleGate),
};

/** @param methods that the gate has besides those that its definition gives it. */
function defined<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    methods: Pick<Gate, "delete"> = {},
): Row<Program> {
    return (world) => ({ ...createGate(definition, world), delete: methods.delete });
}

/** The gate of a Job: its plan only reads, and it has no cluster of TiDB. */
function apart<Program>(gate: Gate): Row<Program> {
    return () => gate;
}

type Values = Record<string, unknown>;

function gateOf(values: Values, world = liveWorld): Gate {
    const gate = String(values.gate);
    if (!Object.hasOwn(rows, gate)) {
        throw new Error(unknownGate(values.gate, Object.keys(rows)));
    }
    return rows[gate as GateName](world);
}

function unknownGate(found: unknown, expected: readonly string[]): string {
    return `unknown gate ${JSON.stringify(found)}: expected one of ${expected.join(", ")}. A version of pulumi-tidb other than the installed one wrote this stack's state`;
}

/**
 * Plans as `check` does, and returns the plan as data. Nothing is reported to Pulumi, so it also works outside of it.
 * Whatever the world allows, nothing is changed in it.
 */
export function planOf(olds: Values, news: Values, world: GateWorld = liveWorld): Promise<GateReport> {
    return gateOf(news, readOnlyWorld(world)).planOf(olds, news);
}

/**
 * Reads the live cluster and adds the plan to the inputs. Called by the shim in `components/gates.ts`. It takes the inputs
 * `isPreview` and `lineUrn` out, which are only for this process: `isPreview` would differ between each preview and its update.
 */
export function check(olds: Values, { isPreview, lineUrn, ...news }: Values): Promise<CheckResult> {
    if (typeof lineUrn === "string") {
        showOn(String(news.statusUrn), lineUrn);
    }
    return told(news, "checked", async () => {
        const result = await gateOf(news).check(olds, news, isPreview === true);
        return { ...result, inputs: withPlanNumber(olds, result.inputs) };
    });
}

/**
 * Reports a change if the plan has a step or the relevant inputs differ. Wherever the inputs of the last update differ too, it leaves the
 * comparison to Pulumi, by an answer without `changes`. Then Pulumi shows only what differs, without `hideDiffs`, and a refresh, which
 * compares those inputs with themselves, finds nothing. The outputs are those inputs, except for `replicas`: a ScaleGate may let more
 * replicas through than its plan said.
 */
export async function diff(id: string, olds: Values, news: Values): Promise<{ changes?: boolean }> {
    const gate = gateOf(news);
    const { changes } = await gate.diff(id, { ...olds, replicas: news.replicas }, news);
    return changes ? {} : gate.diff(id, olds, news);
}

/** Carries out the steps of a first deployment. */
export function create(inputs: Values): Promise<{ id: string; outs: Values }> {
    return gateOf(inputs)
        .create(inputs)
        .finally(() => ended(inputs));
}

/** Carries out the steps of an update. */
export function update(id: string, olds: Values, news: Values): Promise<{ outs: Values }> {
    return gateOf(news)
        .update(id, olds, news)
        .finally(() => ended(news));
}

/** Runs before a gate is deleted: what must be done, or have ended, before more of its cluster is. */
export async function delete_(id: string, props: Values): Promise<void> {
    await told(props, "deleted", () => gateOf(props).delete?.(id, props) ?? Promise.resolve());
}

async function told<T>(values: Values, done: string, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        const { statusUrn } = values;
        const name = typeof statusUrn === "string" ? statusUrn.split("::").at(-1) : "a gate";
        throw toldOnce(error, `${name} was not ${done}`);
    } finally {
        await ended(values);
    }
}

/** Pulumi repeats the last message of a resource on its line until the next one. That of a gate whose work has ended is over. */
function ended({ statusUrn }: Values): Promise<void> {
    clearLines(String(statusUrn));
    return allSent();
}
