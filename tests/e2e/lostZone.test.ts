import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { whileNoNodeTakesPods } from "../support/e2e/cordonedNodes";
import { assertOk, assertUnchanged, dataLoaded, eventsOf, planOf, stoppedPods, until } from "../support/e2e/expect";
import { clusterStack } from "../support/e2e/stack";

const namespace = "zones";
const change = {
    pd: { replicas: 3 },
    tidb: { replicas: 1 },
    tikv: { replicas: 6 },
    operations: { timeouts: { podReadySeconds: 90 }, failover: { periodSeconds: 3 } },
};

describeOnEngine("a zone that is lost", (arena) => {
    it("has its PD member and each of its stores replaced once, and PD's leader is lost in the middle of that", async () => {
        const { kubernetes, sandbox } = arena();
        const stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(change));
        const played = stack.played();
        await dataLoaded(played);
        const zones = Object.fromEntries(
            (await kubernetes.nodes()).map(({ metadata }) => [
                metadata?.name,
                metadata?.labels?.["topology.kubernetes.io/zone"],
            ]),
        );
        const pods = (await kubernetes.pods(namespace)).map(({ metadata, spec }) => ({
            name: metadata?.name ?? "",
            zone: zones[spec?.nodeName ?? ""],
        }));
        const follower = played.members().find(({ leader }) => !leader)!;
        const zone = pods.find(({ name }) => name === follower.name)?.zone;
        const lost = pods.filter((one) => one.zone === zone).map(({ name }) => name);
        const lostStores = lost.filter((name) => name.startsWith("demo-tikv-"));
        assert.ok(zone !== undefined && lostStores.length === 2, `two stores in ${zone}: ${lost.join()}`);
        assert.deepEqual(
            lost.filter((name) => name.startsWith("demo-pd-")),
            [follower.name],
        );

        const faults = sandbox.dataPlane.faults(namespace, "demo");
        faults.members[follower.name] = { unhealthy: true };
        lostStores.forEach((name) => (faults.stores[name] = { dead: true }));
        await Promise.all(lost.map((name) => kubernetes.setNodeOf(namespace, name, "Unknown")));
        const before = played.events.length;
        await until("the preview replaces all of them", async () => {
            const preview = assertOk(await stack.preview(change));
            const steps = ["demo-pd-scale", "demo-tikv-scale"].flatMap((gate) => planOf(preview, gate));
            const replaced = steps.flatMap((step) => /^replace (\S+) /.exec(step)?.slice(1) ?? []);
            return [follower.name, ...lostStores].every((name) => replaced.includes(name)) ? true : undefined;
        });
        assert.deepEqual(stoppedPods(played, before), [], "a preview changes nothing");

        const run = stack.startUp(change);
        await until("the death is on record", async () =>
            (await kubernetes.records(namespace, "demo")).failovers?.pd ? true : undefined,
        );
        await whileNoNodeTakesPods(arena(), async () => {
            await until("PD has dropped its member", () => eventsOf(played, ["member-deleted"], before)[0], 120_000);
            await until("its replacement counts", async () =>
                (await kubernetes.statefulSet(namespace, "demo-pd")).replicas === 4 ? true : undefined,
            );
        });
        // Its new pod is no member that PD calls unhealthy.
        delete faults.members[follower.name];
        const leader = played.leader() ?? "";
        await kubernetes.deletePod(namespace, leader);
        assertOk(await run.done);

        const { failovers } = await kubernetes.records(namespace, "demo");
        const failed = (component: "pd" | "tikv") => Object.keys(failovers?.[component]?.failures ?? {}).sort();
        assert.deepEqual([failed("pd"), failed("tikv")], [[follower.name], lostStores.sort()]);
        assert.equal((await kubernetes.statefulSet(namespace, "demo-pd")).replicas, 4);
        assert.equal((await kubernetes.statefulSet(namespace, "demo-tikv")).replicas, 8);
        assert.deepEqual(
            played
                .members()
                .map(({ name, healthy }) => `${name} ${healthy}`)
                .sort(),
            [0, 1, 2, 3].map((ordinal) => `demo-pd-${ordinal} true`),
        );
        for (const name of ["demo-tikv-6", "demo-tikv-7"]) {
            assert.equal(played.storeOfPod(name)?.state, "Up");
        }
        const placed = (await kubernetes.pods(namespace)).filter(({ metadata }) =>
            ["demo-pd-3", "demo-tikv-6", "demo-tikv-7", follower.name].includes(metadata?.name ?? ""),
        );
        assert.ok(
            placed.length === 4 && placed.every(({ spec }) => spec?.nodeName && zones[spec.nodeName] !== zone),
            "all that is new runs in the other zones",
        );
        assert.deepEqual(eventsOf(played, ["member-deleted", "store-deleted"], before).length, 1);
        assert.deepEqual([...new Set(stoppedPods(played, before))].sort(), [follower.name, leader].sort());

        // PD's replacement goes by itself once all members are healthy; those of stores stay until the user asks for it.
        assertOk(await stack.up(change));
        assert.equal((await kubernetes.statefulSet(namespace, "demo-pd")).replicas, 3);
        assertUnchanged(await stack.up(change));
        assert.equal((await kubernetes.statefulSet(namespace, "demo-tikv")).replicas, 8);
    });
});
