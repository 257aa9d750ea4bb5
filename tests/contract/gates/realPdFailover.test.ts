import * as assert from "node:assert/strict";
import type { UnattendedWork } from "../../../provider/gates/unattended";
import { withPdServer } from "../pd/realPd";
import { PdScenario } from "./pdScenario";
import { codesOf, messagesOf, repeats } from "../../support/repeats";

const title = "the failover of three real pd-server processes";
const steps = [
    "note-failure",
    "remove-member",
    "delete-pod",
    "delete-claims",
    "count-replacement",
    "set-replicas",
] as const;

withPdServer(title, (command) => {
    describe(title, function () {
        this.timeout(240_000);
        let scenario: PdScenario;
        beforeEach(async () => {
            scenario = await PdScenario.begin(command);
        });
        afterEach(async function () {
            if (this.currentTest?.state === "failed") {
                const done = scenario.taken.map(({ by, action }) => `${by} does ${JSON.stringify(action)}`);
                console.log([...done, ...scenario.told, ...scenario.pods.running].join("\n"));
            }
            await scenario.close();
        });
        const didByKind = () => scenario.taken.map(({ action }) => action.do);
        /** Until Kubernetes has seen for long enough that the pod is not Ready. */
        const replace = (by: string): Promise<UnattendedWork> =>
            scenario.until("something is done", async () => {
                const work = await scenario.replaceDead(by);
                return work !== "killed" && work.done.length > 0 ? work : undefined;
            });
        /** Only the dead member left, and the others were a quorum then. */
        const assertOnlyDeadRemoved = (ordinal: number, id: string) => {
            const removals = scenario.taken.filter(({ action }) => action.do === "remove-member");
            for (const { action, health } of removals) {
                assert.equal("memberId" in action && action.memberId, id);
                const healthy = health.filter((one) => one.healthy).map(({ name }) => name);
                assert.ok(healthy.length >= 2 && !healthy.includes(scenario.pods.podName(ordinal)));
            }
            assert.ok(removals.length > 0);
        };

        for (const role of ["follower", "leader"] as const) {
            it(`replaces a ${role} that died for good; it comes back with its old data, and the others refuse it`, async () => {
                const { pods, pd } = scenario;
                const before = await scenario.untilMembers(0, 1, 2);
                const clusterId = await pd.client.clusterId();
                const dead = await scenario.ordinalOf(role);
                const name = pods.podName(dead);
                const others = [0, 1, 2].filter((one) => one !== dead);
                await pods.loseNode(dead, { dies: true });
                await replace("ana");
                assert.deepEqual(didByKind(), steps);
                assertOnlyDeadRemoved(dead, before[name]);
                const replaced = await scenario.untilMembers(...others, 3);
                assert.ok(!Object.values(replaced).includes(before[name]));
                others.forEach((one) => assert.equal(replaced[pods.podName(one)], before[pods.podName(one)]));

                // Its node starts it again before it hears that the pod and its claim are deleted.
                const volume = pods.restartOnLostNode(dead);
                await scenario.until("the others refuse the old member", () =>
                    Promise.resolve(/permanently removed from the cluster/.test(pd.logOf(volume)) || undefined),
                );
                await assert.rejects(scenario.membersAsSeenBy(volume), /PD_UNREACHABLE/);
                assert.deepEqual(await scenario.untilMembers(...others, 3), replaced);
                assert.equal(await pd.client.clusterId(), clusterId);

                // Then the node hears of it. The pod starts anew, on an empty volume, and is another member.
                await pods.returnNode(dead);
                const all = await scenario.untilMembers(0, 1, 2, 3);
                assert.ok(!Object.values(replaced).includes(all[name]) && all[name] !== before[name]);
                await scenario.until("its pod is Ready", () =>
                    Promise.resolve(pods.running.every((one) => one.endsWith("is Ready")) || undefined),
                );
                scenario.taken.length = 0;
                await scenario.update("ben");
                assert.deepEqual(await scenario.untilMembers(0, 1, 2), { ...before, [name]: all[name] });
                assert.equal(scenario.records().failovers, undefined);
                assert.equal(await pd.client.clusterId(), clusterId);
            });
        }

        it("goes on after a kill before each step, and removes nothing twice", async () => {
            const before = await scenario.untilMembers(0, 1, 2);
            const dead = await scenario.ordinalOf("follower");
            await scenario.pods.loseNode(dead, { dies: true });
            for (const step of steps) {
                await scenario.until(`killed at ${step}`, async () =>
                    (await scenario.replaceDead(`run-${step}`, step)) === "killed" ? true : undefined,
                );
            }
            await replace("last");
            // The first run was killed once the failure was on the Lease.
            assert.deepEqual(didByKind(), steps.slice(1));
            assertOnlyDeadRemoved(dead, before[scenario.pods.podName(dead)]);
            await scenario.untilMembers(...[0, 1, 2].filter((one) => one !== dead), 3);
        });

        it("keeps a member whose node Kubernetes has lost, but which PD hears from", async () => {
            const before = await scenario.untilMembers(0, 1, 2);
            const dead = await scenario.ordinalOf("follower");
            await scenario.pods.loseNode(dead, { dies: false });
            const told = await scenario.until("why it is kept", async () => {
                const work = await scenario.replaceDead("ana");
                return work !== "killed" && messagesOf(work.remarks).includes("PD says healthy")
                    ? work.remarks
                    : undefined;
            });
            assert.ok(codesOf(told).includes("not-replaced"));
            repeats(told, scenario.pods.podName(dead));
            assert.deepEqual(didByKind(), []);
            assert.deepEqual(await scenario.untilMembers(0, 1, 2), before);
        });

        it("removes nothing while the members that live are no quorum, and one of the two once they are", async () => {
            const before = await scenario.untilMembers(0, 1, 2);
            const { pods } = scenario;
            await pods.loseNode(1, { dies: true });
            await pods.loseNode(2, { dies: true });
            await scenario.until("PD has lost its leader", async () =>
                (await scenario.pd.client.leadership().catch(() => undefined)) === undefined ? true : undefined,
            );
            const end = performance.now() + 5000;
            while (performance.now() < end) {
                const work = await scenario.replaceDead("ana");
                assert.ok(work !== "killed" && work.done.length === 0);
                assert.deepEqual(didByKind(), []);
            }
            pods.restartOnLostNode(1);
            await pods.returnNode(1);
            await replace("ben");
            assert.deepEqual(didByKind(), steps);
            assertOnlyDeadRemoved(2, before[pods.podName(2)]);
            const replaced = await scenario.untilMembers(0, 1, 3);
            assert.equal(replaced[pods.podName(1)], before[pods.podName(1)]);
        });
    });
});
