import * as assert from "node:assert/strict";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { plannedRollout } from "../../../support/lifecycle/planned";
import { claimOf, type Deviation, inShort, longAgo, now, observed } from "../../../support/lifecycle/observations";

/** A cluster in which the file systems of these stores have waited for so long, in seconds. */
const waiting = (seconds: Record<number, number>, more: Deviation = {}) =>
    observed("tikv", {
        claims: Object.entries(seconds).map(([ordinal, waits]) =>
            claimOf("tikv", Number(ordinal), {
                state: {
                    ...{ phase: "Bound", hasSource: false, requested: "20Gi", capacity: "10Gi" },
                    resize: { of: "file-system", since: now - waits * 1_000, waited: waits * 1_000 },
                },
            }),
        ),
        ...more,
    });
const moveIn = ({ observation, target }: ReturnType<typeof waiting>) =>
    inShort(nextRolloutMove(observation, target, emptyMemory));

describe("a file system that only a new pod enlarges", () => {
    it("is left to the node for two minutes, and waited for", () => {
        const seen = waiting({ 1: 119 });
        assert.equal(moveIn(seen), "wait volume-grown basic-tikv-1");
        const [{ kind, target, why }] = plannedRollout(seen.observation, seen.target);
        assert.deepEqual([kind, target, why], ["grow", "basic-tikv-1", "10Gi to 20Gi"]);
    });

    it("restarts its pod by the rules of every restart: its leaders leave first", () => {
        const seen = waiting({ 1: 120 });
        assert.equal(moveIn(seen), "begin-eviction 11");
        const unwell = waiting({ 1: 120 }, { stores: { 3: { state: "Disconnected" } } });
        assert.equal(moveIn(unwell), "wait store-up basic-tikv-3");
    });

    it("is in the plan as a restart, with its reason", () => {
        const { observation, target } = waiting({ 1: 120 });
        const steps = plannedRollout(observation, target);
        assert.deepEqual(
            steps.map(({ kind, target: pod, why }) => [kind, pod, why]),
            [["restart", "basic-tikv-1", "the file system of its volume grows when it starts"]],
        );
    });

    it("restarts the pods of a driver that is known to need it without waiting again", () => {
        const { observation, target } = waiting({ 1: 120, 2: 60 });
        const pods = plannedRollout(observation, target).map((step) => step.target);
        assert.deepEqual(pods, ["basic-tikv-2", "basic-tikv-1"]);
    });

    it("does not restart a pod twice: one that has started since is waited for", () => {
        const since = longAgo + 60_000;
        const seen = waiting({ 1: (now - since) / 1_000 }, { pods: { 1: { createdAt: since + 1 } } });
        assert.equal(moveIn(seen), "wait volume-grown basic-tikv-1");
        const older = waiting({ 1: (now - since) / 1_000 }, { pods: { 1: { createdAt: since - 1 } } });
        assert.equal(moveIn(older), "begin-eviction 11");
    });
});
