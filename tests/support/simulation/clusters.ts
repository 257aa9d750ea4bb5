import * as assert from "node:assert/strict";
import { advance, heal } from "./advance";
import { modelledMembers, type Goal, type ModelledMember, type RunResult, type Stack, up } from "./operate";
import { createSimulation, memberAlive, pdAnswers, podWithClaim, runs, type Simulation, storeState } from "./state";

/** Short patience, so that what never comes is found out within a minute of the model's time. */
export const shortPatience = {
    podReadyTimeoutSeconds: 90,
    evictLeaderTimeoutSeconds: 120,
    leadersBackTimeoutSeconds: 30,
    storeRemovalTimeoutSeconds: 300,
};

/** @returns a deployed cluster with leaders on its stores, and Pulumi's state of it. */
export async function deployed(goal: Goal, leadersPerStore = 300): Promise<{ state: Simulation; stack: Stack }> {
    const state = createSimulation();
    const stack: Stack = {};
    const first = await up(state, stack, goal);
    assert.equal(first.ending, "done", first.error?.message);
    state.leadersToLoad = leadersPerStore * goal.tikv;
    advance(state, 10_000);
    return { state, stack };
}

/** Checks what must hold after a run that was not killed, however it ended. */
export function assertTidy(state: Simulation, result: RunResult): void {
    assertNoViolation(state);
    for (const status of result.says.filter((one) => /^\w+ waiting: /.test(one))) {
        assert.match(status, /^\w+ waiting: .+ \(\d+ s, until \d\d:\d\d:\d\d at most\)$/, "rule 10");
    }
    // What a check refuses is not carried out at all, nor what an earlier run left cleaned up.
    if (!pdAnswers(state) || result.error?.message.startsWith("refused: ")) {
        return;
    }
    for (const [id, { owner }] of state.evictions) {
        const store = state.stores.find((one) => one.id === id);
        const well = store && storeState(state, store) === "Up" && runs(state, podWithClaim(state, store.claim));
        assert.ok(owner === "other" || !well, `rule 6: the eviction of store ${id}, which is Up, is left behind`);
    }
}

export function assertNoViolation(state: Simulation): void {
    assert.deepEqual(state.violations, [], state.log.slice(-30).join("\n"));
}

/** Checks that the cluster is as the goal says, and that another run finds nothing to do. */
export async function assertReached(state: Simulation, stack: Stack, goal: Goal, result: RunResult): Promise<void> {
    const story = () => `${result.error?.message}\n${state.log.slice(-40).join("\n")}`;
    assert.equal(result.ending, "done", story());
    assertTidy(state, result);
    assert.notEqual(state.lease.lock.holder, result.holder, "the lock is given back");
    advance(state, 5_000);
    for (const component of modelledMembers) {
        const pods = state.pods.filter((pod) => pod.component === component);
        assert.equal(pods.length, goal[component] ?? 0, `${component} pods`);
        assert.ok(
            pods.every((pod) => runs(state, pod) && pod.revision === goal.revision),
            `${component} pods run ${goal.revision}`,
        );
    }
    assert.equal(state.members.filter((member) => memberAlive(state, member)).length, goal.pd, "PD members");
    assert.equal(state.members.length, goal.pd, "PD members in all");
    for (const engine of ["tikv", "tiflash"] as const) {
        const stores = state.stores.filter((store) => store.engine === engine && storeState(state, store) === "Up");
        assert.equal(stores.length, goal[engine] ?? 0, `Up stores of ${engine}\n${story()}`);
    }
    assert.ok(
        [...state.evictions.values()].every(({ owner }) => owner === "other"),
        `rule 6: no eviction of ours is left\n${story()}`,
    );
    assert.deepEqual(state.lease.records, { evictions: {}, removals: {} }, "nothing is on record");
    const again = await up(state, stack, goal);
    assert.equal(again.ending, "done", again.error?.message);
    assert.equal(again.changes, 0, `a run with nothing to do changes nothing: ${again.says.join("; ")}`);
}

/**
 * Runs with all faults healed. Where a PD member is down for a bad image nothing may be scaled in before it is mended,
 * which takes a run of its own: a scale-in waits for PD before the StatefulSet gets its template. So it is where a TiFlash
 * store is down that would have to take the replicas of the one that leaves.
 */
export async function upAfterHealing(state: Simulation, stack: Stack, goal: Goal): Promise<RunResult> {
    heal(state);
    advance(state, 20_000);
    const needMending = new Set<string>(["pd", "tiflash"]);
    if (state.pods.some((pod) => needMending.has(pod.component) && state.badRevisions.has(pod.revision))) {
        const sizeOf = (one: ModelledMember) => Math.max(goal[one] ?? 0, state.statefulSets[one]?.replicas ?? 0);
        const sizes = modelledMembers.flatMap((one) => (goal[one] === undefined ? [] : [[one, sizeOf(one)] as const]));
        const result = await up(state, stack, { ...goal, ...Object.fromEntries(sizes) });
        assert.equal(result.ending, "done", `nothing is mended: ${result.error?.message}`);
    }
    return up(state, stack, goal);
}
