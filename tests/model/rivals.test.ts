import * as assert from "node:assert/strict";
import { isBookkeeping } from "../../provider/lifecycle/vocabulary/actions";
import type { Action } from "../../provider/lifecycle/vocabulary/actions";
import { assertNoViolation, assertReached, deployed, shortTimeouts } from "../support/simulation/clusters";
import { beginUp, type Goal, type Interruption, type Stack, up } from "../support/simulation/operate";
import { copySimulation, pass, type Simulation } from "../support/simulation/simulation";

const start: Goal = { pd: 1, tikv: 4, revision: "r1", policy: shortTimeouts };
const change: Goal = { ...start, tikv: 3, revision: "r2" };
const theirStart: Goal = { tikv: 2, revision: "t1", policy: shortTimeouts };

const origin = deployed(start, { regions: 16 });
const shared = origin.then(async ({ simulation, stack }) => {
    const copy = copySimulation(simulation);
    const theirs: Stack = {};
    const first = beginUp(copy, theirs, theirStart, { of: "theirs" });
    await copy.timeline.play(first.isOver);
    assert.equal(first.result.ending, "done", first.result.error?.message);
    await pass(copy, 30_000);
    return { simulation: copy, stack, theirs };
});

const suspensions: { name: string; interruption: Omit<Interruption, "change"> }[] = [
    { name: "before it", interruption: { when: "before", how: "suspend", seconds: 40 } },
    { name: "right after it", interruption: { when: "after", how: "suspend", seconds: 40 } },
    {
        name: "before it, with its machine",
        interruption: { when: "before", how: "suspend", seconds: 40, asleep: true },
    },
];

describe("two runs on one cluster never work at the same time", function () {
    this.timeout(240_000);

    // Every third change, with a different offset each, so the three ways together cover all changes.
    for (const [first, { name, interruption }] of suspensions.entries()) {
        it(`while one is suspended at any of its changes, ${name}, the other takes over, and nothing is done twice`, async () => {
            for (let k = first; ; k += suspensions.length) {
                const from = await origin;
                const simulation = copySimulation(from.simulation);
                const [stack, copy] = [structuredClone(from.stack), structuredClone(from.stack)];
                const one = beginUp(simulation, stack, change, { interruptions: [{ ...interruption, change: k }] });
                await pass(simulation, 500);
                const other = beginUp(simulation, copy, change, { clocks: { skew: -3_600_000 } });
                await simulation.timeline.play(() => one.isOver() && other.isOver());
                assertNoViolation(simulation.world);
                if (one.result.changes <= k) {
                    assert.ok(k > 10, `${k} changes`);
                    return;
                }
                await assertReached(simulation, copy, change, await up(simulation, copy, change));
            }
        });
    }

    /**
     * @param suspendedAt the change of the one run at which the other begins. Default: the one is alone.
     * @returns the changes of the one run that are actions and do more than keep records.
     */
    const play = async (suspendedAt?: number): Promise<number[]> => {
        const from = await origin;
        const simulation = copySimulation(from.simulation);
        const { world, timeline } = simulation;
        const actions: number[] = [];
        let [logged, isReached] = [0, suspendedAt === undefined];
        const onChange = (when: Interruption["when"], number: number) => {
            const own = world.log.filter((line) => line.includes(` ${one.result.holder} {`));
            const action = own.length > logged ? (JSON.parse(/{.*/.exec(own.at(-1) ?? "")![0]) as Action) : undefined;
            if (when === "after" && action && !isBookkeeping(action)) {
                actions.push(number);
            }
            [logged, isReached] = [own.length, isReached || number === suspendedAt];
        };
        const interruptions: Interruption[] =
            suspendedAt === undefined ? [] : [{ change: suspendedAt, when: "connecting", how: "suspend", seconds: 40 }];
        const one = beginUp(simulation, structuredClone(from.stack), change, { interruptions, onChange });
        await timeline.play(() => isReached);
        const other = suspendedAt === undefined ? one : beginUp(simulation, structuredClone(from.stack), change);
        await timeline.play(() => one.isOver() && other.isOver());
        assertNoViolation(world);
        return actions;
    };

    it("one that is suspended while it logs in for any of its actions sends nothing once the other has taken over", async () => {
        const actions = await play();
        assert.ok(actions.length > 10, `${actions.length} actions`);
        for (const number of actions) {
            await play(number);
        }
    });
});

describe("two clusters on one PD never work at the same time", function () {
    this.timeout(240_000);

    const both = async (simulation: Simulation, stack: Stack, theirs: Stack, interruptions: Interruption[]) => {
        const ours = beginUp(simulation, stack, change, { interruptions });
        await pass(simulation, 1_000);
        const other = beginUp(
            simulation,
            theirs,
            { ...theirStart, revision: "t2" },
            { of: "theirs", clocks: { skew: 7_200_000 } },
        );
        await simulation.timeline.play(() => ours.isOver() && other.isOver());
        assertNoViolation(simulation.world);
        return { ours: ours.result, other: other.result };
    };

    it("both are upgraded at the same time: one waits for the other, and both finish", async () => {
        const { simulation: from, stack, theirs } = await shared;
        const simulation = copySimulation(from);
        const { ours, other } = await both(simulation, structuredClone(stack), structuredClone(theirs), []);
        assert.deepEqual(
            [ours.ending, other.ending],
            ["done", "done"],
            `${ours.error?.message} ${other.error?.message}`,
        );
        assert.ok([...ours.messages, ...other.messages].some((said) => /waiting for (ours|theirs) \d+ /.test(said)));
    });

    it("one is suspended for 40 s at any of its changes: its earlier decision is not carried out while the other works", async () => {
        for (let k = 0; ; k += 3) {
            const from = await shared;
            const simulation = copySimulation(from.simulation);
            const [stack, theirs] = [structuredClone(from.stack), structuredClone(from.theirs)];
            const cut: Interruption = { change: k, when: "before", how: "suspend", seconds: 40 };
            const { ours } = await both(simulation, stack, theirs, [cut]);
            if (ours.changes <= k) {
                assert.ok(k > 10, `${k} changes`);
                return;
            }
        }
    });

    it("two clusters on a PD that cannot be locked are refused, before anything is done", async () => {
        const { simulation: from, stack } = await shared;
        const simulation = copySimulation(from);
        simulation.world.pd.hasGateway = false;
        const result = await up(simulation, structuredClone(stack), change);
        assert.equal(result.ending, "failed");
        assert.match(result.error?.message ?? "", /PD cannot be locked against the other clusters/);
        assertNoViolation(simulation.world);
    });
});
