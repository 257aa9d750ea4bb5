import { beforeUpgradeGate, beforeUpgradeGateDefinition } from "./beforeUpgradeGate";
import { clusterGate, createClusterGate } from "./clusterGate";
import { createGate } from "./gate";
import { jobGate } from "./jobGate";
import { jobRecord } from "./jobRecord";
import { logBackupGate } from "./logBackupGate";
import { lostNodesGate, lostNodesGateDefinition } from "./lostNodesGate";
import { passwordGate, passwordGateDefinition } from "./passwordGate";
import { isCarriedOut, withPlanNumber } from "./planNumber";
import { allSent } from "./progress";
import { readOnlyWorld } from "./readOnlyWorld";
import { readyGate, readyGateDefinition } from "./readyGate";
import { recoveryGate, recoveryGateDefinition } from "./recoveryGate";
import { restoreGate } from "./restoreGate";
import { rolloutGate, rolloutGateDefinition } from "./rolloutGate";
import { scaleGate, scaleGateDefinition } from "./scaleGate";
import { scheduleGate } from "./scheduleGate";
import { settingsGate, settingsGateDefinition } from "./settingsGate";
import { suspendGate, suspendGateDefinition } from "./suspendGate";
import { toldOnce } from "./toldOnce";
import type { CheckResult, Gate, GateReport } from "./gateDefinition";
import { type GateWorld, liveWorld } from "./gateWorld";

/** The gates, by the input `gate` that each resource carries. See `createGate` for what a gate is. */
const gates: Record<string, Gate> = {
    cluster: clusterGate,
    recovery: recoveryGate,
    "lost-nodes": lostNodesGate,
    "before-upgrade": beforeUpgradeGate,
    settings: settingsGate,
    scale: scaleGate,
    rollout: rolloutGate,
    suspend: suspendGate,
    password: passwordGate,
    ready: readyGate,
    job: jobGate,
    record: jobRecord,
    restore: restoreGate,
    logBackup: logBackupGate,
    schedule: scheduleGate,
};

/** What plans each gate, in a world where nothing can be changed. */
function planners(world: GateWorld): Record<string, Pick<Gate, "planOf">> {
    return {
        cluster: createClusterGate(world),
        recovery: createGate(recoveryGateDefinition, world),
        "lost-nodes": createGate(lostNodesGateDefinition, world),
        "before-upgrade": createGate(beforeUpgradeGateDefinition(), world),
        settings: createGate(settingsGateDefinition, world),
        scale: createGate(scaleGateDefinition, world),
        rollout: createGate(rolloutGateDefinition, world),
        suspend: createGate(suspendGateDefinition, world),
        password: createGate(passwordGateDefinition, world),
        ready: createGate(readyGateDefinition, world),
        // Its plan only reads, and it has no cluster of TiDB.
        job: jobGate,
        record: jobRecord,
        restore: restoreGate,
        logBackup: logBackupGate,
        schedule: scheduleGate,
    };
}

type Values = Record<string, unknown>;

function gateOf<T = Gate>(values: Values, among: Record<string, T> = gates as Record<string, T>): T {
    const gate = among[String(values.gate)];
    if (!gate) {
        throw new Error(unknownGate(values.gate, Object.keys(among)));
    }
    return gate;
}

function unknownGate(found: unknown, expected: readonly string[]): string {
    return `unknown gate ${JSON.stringify(found)}: expected one of ${expected.join(", ")}. A version of pulumi-tidb other than the installed one wrote this stack's state`;
}

/**
 * Plans as `check` does, and returns the plan as data. Nothing is reported to Pulumi, so it also works outside of it.
 * Whatever the world allows, nothing is changed in it.
 */
export function planOf(olds: Values, news: Values, world: GateWorld = liveWorld): Promise<GateReport> {
    return gateOf(news, planners(readOnlyWorld(world))).planOf(olds, news);
}

/**
 * Reads the live cluster and adds the plan to the inputs. Called by the shim in `components/gates.ts`. It takes the input
 * `isPreview` out: that is only for this call, and would differ between each preview and its update.
 */
export function check(olds: Values, { isPreview, ...news }: Values): Promise<CheckResult> {
    return told(news, "checked", async () => {
        const result = await gateOf(news).check(olds, news, isPreview === true);
        return { ...result, inputs: withPlanNumber(olds, result.inputs) };
    });
}

/** Reports a change if the plan has a step or the relevant inputs differ, unless the last update carried out this very plan. */
export async function diff(id: string, olds: Values, news: Values): Promise<{ changes: boolean }> {
    return isCarriedOut(olds, news) ? { changes: false } : gateOf(news).diff(id, olds, news);
}

/** Carries out the steps of a first deployment. */
export function create(inputs: Values): Promise<{ id: string; outs: Values }> {
    return gateOf(inputs).create(inputs).finally(allSent);
}

/** Carries out the steps of an update. */
export function update(id: string, olds: Values, news: Values): Promise<{ outs: Values }> {
    return gateOf(news).update(id, olds, news).finally(allSent);
}

/** Runs before a gate is deleted: what must be done, or have ended, before more of its cluster is. */
export async function delete_(id: string, props: Values): Promise<void> {
    await told(props, "deleted", () => gateOf(props).delete?.(id, props) ?? Promise.resolve());
}

async function told<T>({ statusUrn }: Values, done: string, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        const name = typeof statusUrn === "string" ? statusUrn.split("::").at(-1) : "a gate";
        throw toldOnce(error, `${name} was not ${done}`);
    } finally {
        await allSent();
    }
}
