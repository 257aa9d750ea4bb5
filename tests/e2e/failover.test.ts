import * as assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as path from "node:path";
import { controllerRules, leadershipRules, nodeRules } from "../../topology/controllerPermissions";
import { describeOnEngine } from "../support/e2e/arena";
import { whileNoNodeTakesPods } from "../support/e2e/cordonedNodes";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertUnchanged,
    dataLoaded,
    eventsOf,
    isLockFree,
    messagesOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { takeLockOf } from "../support/e2e/rival";
import { RunningController } from "../support/e2e/runningController";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { approvePlan, timelineOfStack } from "../support/e2e/statusCommand";
import { repeats } from "../support/repeats";

const namespace = "failover";
const change = {
    pd: { replicas: 1 },
    tidb: { replicas: 1 },
    tikv: { replicas: 4 },
    operations: { timeouts: { podReadySeconds: 60 }, failover: { periodSeconds: 3 } },
};

/** The same with members of which a node takes more than a store of TiKV. */
const wide = {
    ...change,
    pd: { replicas: 3 },
    spec: { tiflash: { replicas: 2, storageClaims: [{ resources: { requests: { storage: "1Gi" } } }], config: {} } },
};

const takenOver = "take over the replicas of demo-tikv: 5 set by pulumi-tidb for a replacement";

describeOnEngine("failover", (arena) => {
    let stack: ClusterStack;
    let dead: string;
    let controllers: RunningController[] = [];
    let makeNodeAgain: (() => Promise<void>) | undefined;
    const tikv = () => arena().kubernetes.statefulSet(namespace, "demo-tikv");
    const faults = () => arena().sandbox.dataPlane.faults(namespace, "demo");
    let limited: string;
    /** With what `LifecycleController` gives it for this cluster alone. */
    const startController = (...options: string[]) => {
        const only = ["--namespace", namespace, "--cluster", `${namespace}/demo`];
        const controller = new RunningController(limited, ...only, ...options);
        controllers.push(controller);
        return controller;
    };
    const leads = (controller: RunningController) =>
        until("the controller leads", async () => (await controller.leads()) || undefined, 60_000);
    /** The store's process and its node. @returns the node's name */
    const dies = () => {
        faults().stores[dead] = { dead: true };
        return arena().kubernetes.setNodeOf(namespace, dead, "Unknown");
    };
    const comesBack = async () => {
        delete faults().stores[dead];
        await arena().kubernetes.setNodeOf(namespace, dead, "True");
        await until("the store is Up again", () =>
            stack.played().storeOfPod(dead)?.state === "Up" ? true : undefined,
        );
    };
    const recovers = { ...change, tikv: { replicas: 4, recoverFailover: true } };
    const failures = async (component: "pd" | "tikv") =>
        Object.entries((await arena().kubernetes.records(namespace, "demo")).failovers?.[component]?.failures ?? {});
    before(async () => {
        stack = await clusterStack(arena(), namespace);
        const rules = [
            ...controllerRules(["failover"], ["demo"]),
            ...["pulumi-tidb-controller", "another"].flatMap(leadershipRules),
        ];
        const user = await arena().kubernetes.userWith(namespace, "controller", rules, nodeRules(["failover"]));
        limited = path.join(arena().folder, "controller.kubeconfig");
        writeFileSync(limited, user);
        assertOk(await stack.up(change));
        await dataLoaded(stack.played());
    });

    afterEach(async function () {
        await makeNodeAgain?.();
        makeNodeAgain = undefined;
        await Promise.all(controllers.map((one) => one.end("SIGKILL")));
        if (this.currentTest?.state === "failed") {
            const lines = controllers.map((one) => one.lines.map((line) => JSON.stringify(line)).join("\n"));
            console.log(lines.join("\n--\n"));
        }
        controllers = [];
    });

    it("a node that dies takes its store with it: the preview names the store, and the update adds another one", async () => {
        const played = stack.played();
        const before = played.events.length;
        const pods = await arena().kubernetes.pods(namespace);
        const aloneOnNode = (name: string) =>
            pods.filter(
                ({ spec }) => spec?.nodeName === pods.find((one) => one.metadata?.name === name)?.spec?.nodeName,
            ).length === 1;
        dead = ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2", "demo-tikv-3"].find(aloneOnNode) ?? "demo-tikv-1";
        const id = played.storeOfPod(dead)?.id;
        const node = await dies();

        const early = assertOk(await stack.preview(change));
        assert.deepEqual(planOf(early, "demo-tikv-scale"), [], "not before PD calls it Down for the whole period");
        repeats(messagesOf(early, "demo-tikv-scale"), dead);

        const plan = await until("the preview replaces the store", async () => {
            const steps = planOf(assertOk(await stack.preview(change)), "demo-tikv-scale");
            return steps.length > 0 ? steps : undefined;
        });
        assert.match(
            plan.join("\n"),
            new RegExp(
                `^replace ${dead} \\(store ${id} \\(${dead}\\) is dead: PD says Down, and node ${node} is not Ready .*: add demo-tikv-4`,
            ),
        );
        assertOk(await stack.up(change, { skipPreview: false }));
        assert.equal((await tikv()).replicas, 5);
        assert.equal(played.storeOfPod("demo-tikv-4")?.state, "Up");
        assert.deepEqual(
            stoppedPods(played, before),
            [],
            "nothing is restarted, and the dead store's pod and volume stay",
        );
        assert.deepEqual(eventsOf(played, ["store-deleted"], before), []);
    });

    it("the next update with the same program changes no object", async () => {
        const { generation } = await tikv();
        const again = await stack.up(change, { skipPreview: false });
        assertUnchanged(again);
        assert.deepEqual(await tikv(), { replicas: 5, generation });
    });

    it("the dead one returns: the preview says so, and recoverFailover removes the replacement by PD's Tombstone", async () => {
        const played = stack.played();
        const before = played.events.length;
        await comesBack();
        const preview = assertOk(await stack.preview(change));
        repeats(messagesOf(preview, "demo-tikv-scale"), "spec.tikv.failover.recoverByUID");
        assert.equal((await tikv()).replicas, 5);
        assertOk(await stack.up(recovers, { skipPreview: false }));
        assert.equal((await tikv()).replicas, 4);
        assert.equal(eventsOf(played, ["store-deleted"], before).length, 1);
        assert.deepEqual(await arena().kubernetes.records(namespace, "demo"), { evictions: {}, removals: {} });
        await assertNothingLeft(arena(), stack);
    });

    it("without `pulumi up`, two controllers that both lead add one store; the next update changes no object, and may take it away again", async () => {
        const played = stack.played();
        const before = played.events.length;
        const both = [startController(), startController("--lease-name", "another")];
        await Promise.all(both.map(leads));
        await dies();
        await until("the replacement", () => (played.storeOfPod("demo-tikv-4")?.state === "Up" ? true : undefined));
        await until("the lock is free", () => isLockFree(arena(), stack));
        for (const controller of both) {
            assert.equal(await controller.end("SIGTERM"), 0);
        }
        const scaled = both.filter((one) => one.said(/^scale StatefulSet demo-tikv from 4 to 5$/));
        assert.equal(scaled.length, 1);
        const { operations } = await timelineOfStack(stack, arena().sandbox.kubeconfig);
        const [replacing] = operations.filter(({ what }) => what === "replace the dead of demo-tikv");
        assert.match(replacing.holder, /^controller \S+@\S+, process \d+ /);
        assert.deepEqual(stoppedPods(played, before), [], "nothing is restarted");
        const { generation, replicas } = await tikv();
        assert.equal(replicas, 5);
        assert.deepEqual(
            (await failures("tikv")).map(([pod, { replacedBy }]) => [pod, replacedBy]),
            [[dead, "demo-tikv-4"]],
        );

        const more = { ...change, version: "v8.5.3", tikv: { replicas: 6 } };
        const byStep = { ...more, operations: { ...change.operations, approval: "step" as const } };
        const upgrade = planOf(assertOk(await stack.preview(byStep)), "demo-tikv-scale");
        assert.ok(
            upgrade.includes(
                "take over the replicas of demo-tikv: 5 set by pulumi-tidb for a replacement; this update sets 7",
            ),
        );
        assert.deepEqual(planOf(assertOk(await stack.preview(change)), "demo-tikv-scale"), [takenOver]);
        assertOk(await stack.up(change, { skipPreview: false }));
        assert.deepEqual(await tikv(), { replicas: 5, generation }, "the update knows of the replacement");

        await comesBack();
        assertOk(await stack.up(recovers, { skipPreview: false }));
        assert.equal((await tikv()).replicas, 4, "no conflict between field managers");
    });

    it("a controller and an update that wait for the lock with the same store to replace add one between them", async () => {
        const played = stack.played();
        const before = played.events.length;
        const controller = startController();
        await leads(controller);
        const lock = await takeLockOf(arena(), stack, "hold both back");
        const waitingUpdate = async () => {
            await dies();
            await until("the preview replaces the store", async () =>
                planOf(assertOk(await stack.preview(recovers)), "demo-tikv-scale").length > 0 ? true : undefined,
            );
            let waits = false;
            const onLine = (line: string) => (waits ||= /waiting for .*: hold both back/.test(line));
            const run = stack.startUp(recovers, { onLine });
            await until("the update waits for the lock", () => waits || undefined, 120_000);
            assert.deepEqual([(await tikv()).replicas, await failures("tikv")], [4, []]);
            return run;
        };
        const run = await waitingUpdate().finally(() => lock.release());
        assertOk(await run.done);
        await until("the replacement", () => (played.storeOfPod("demo-tikv-4")?.state === "Up" ? true : undefined));
        await until("the lock is free", () => isLockFree(arena(), stack));
        assert.equal(await controller.end("SIGTERM"), 0);
        assert.equal(eventsOf(played, ["store-joined"], before).length, 1);
        assert.deepEqual(stoppedPods(played, before), [], "nothing is restarted");
        assert.deepEqual(
            (await failures("tikv")).map(([pod, { replacedBy }]) => [pod, replacedBy]),
            [[dead, "demo-tikv-4"]],
        );
        const { generation, replicas } = await tikv();
        assert.equal(replicas, 5);
        // Either of both may have written the number last: the controller's is taken over, which changes no number.
        const takesOver = planOf(assertOk(await stack.preview(recovers)), "demo-tikv-scale");
        if (takesOver.length > 0) {
            assert.deepEqual(takesOver, [takenOver]);
            assertOk(await stack.up(recovers));
        }
        assertUnchanged(await stack.up(recovers));
        assert.deepEqual(await tikv(), { replicas, generation });

        await comesBack();
        assertOk(await stack.up(recovers));
        assert.equal((await tikv()).replicas, 4);
    });

    it("a node that is gone with volumes of PD, TiFlash and TiKV: what a person approves is given up, of each first what PD has, then the claim, then the pod", async () => {
        const { kubernetes, sandbox } = arena();
        const { stores } = sandbox.dataPlane.faults(namespace, "demo");
        const played = stack.played();
        assertOk(await stack.up(wide));
        const podOf = async (name: string) =>
            (await kubernetes.pods(namespace)).find(({ metadata }) => metadata?.name === name);
        const node = (await podOf(dead))?.spec?.nodeName ?? "";
        const follower = played.members().find(({ leader }) => !leader)?.name ?? "";
        /** In the order in which they are given up, with the claim of each. */
        const claimNames = {
            [follower]: `pd-${follower}`,
            "demo-tiflash-1": "data0-demo-tiflash-1",
            [dead]: `tikv-${dead}`,
        };
        const names = Object.keys(claimNames);
        const uids = async () => {
            const [pods, claims] = [await kubernetes.pods(namespace), await kubernetes.claims(namespace)];
            const live = (all: typeof pods | typeof claims, name: string) =>
                all.find(({ metadata }) => metadata?.name === name && metadata.deletionTimestamp === undefined)
                    ?.metadata?.uid;
            return names.map((name) => ({ pod: live(pods, name), claim: live(claims, claimNames[name]) }));
        };
        const volumes = Object.fromEntries(
            (await kubernetes.claims(namespace)).map(({ metadata, spec }) => [metadata?.name, spec?.volumeName ?? ""]),
        );
        for (const name of names) {
            await kubernetes.pinVolume(volumes[claimNames[name]], node);
            // A pod elsewhere moves to its volume.
            if ((await podOf(name))?.spec?.nodeName !== node) {
                await kubernetes.deletePod(namespace, name);
            }
        }
        const isUp = (name: string) =>
            name === follower
                ? played.members().some((member) => member.name === name && member.healthy)
                : played.storeOfPod(name)?.state === "Up";
        await until("all of them run on the node", async () =>
            (await Promise.all(names.map(podOf))).every(
                (pod) =>
                    pod?.spec?.nodeName === node &&
                    pod.metadata?.deletionTimestamp === undefined &&
                    isUp(pod.metadata?.name ?? ""),
            )
                ? true
                : undefined,
        );
        const ids = names.slice(1).map((name) => played.storeOfPod(name)?.id ?? 0);
        const memberId = played.members().find(({ name }) => name === follower)?.id;
        const lost = { ...wide, operations: { ...change.operations, lostNodes: [node] } };

        names.slice(1).forEach((name) => (stores[name] = { dead: true }));
        makeNodeAgain = await kubernetes.loseNode(node);
        await until(
            "the pods wait for their volumes",
            async () => ((await Promise.all(names.map(podOf))).some((pod) => pod?.spec?.nodeName) ? undefined : true),
            180_000,
        );
        names.slice(1).forEach((name) => delete stores[name]);
        // Kubernetes restarts elsewhere what else was on the node: no step does that, so it does not count.
        await until(
            "nothing is on the node any more, and PD has its other members",
            async () => {
                const left = (await kubernetes.pods(namespace)).filter(({ spec }) => spec?.nodeName === node);
                const others = played.members().filter(({ name }) => name !== follower);
                return left.length === 0 && others.every(({ healthy }) => healthy) ? true : undefined;
            },
            180_000,
        );
        const before = played.events.length;
        const plan = await until("PD calls the stores Down", async () => {
            const preview = assertOk(await stack.preview(lost));
            const steps = planOf(preview, "demo-lost-nodes");
            // Until all is known, the plan says so and what is waited for.
            return steps.filter((step) => step.startsWith("give up ")).length === names.length
                ? { preview, steps }
                : undefined;
        });
        const removals = ["the member from PD", ...ids.map((id) => `store ${id}, move its \\d+ regions?`)];
        for (const [index, name] of names.entries()) {
            const claim = claimNames[name];
            assert.match(
                plan.steps[index],
                new RegExp(
                    `^give up the volumes of ${name} \\(${volumes[claim]} is on node ${node}, which is gone\\): remove ${removals[index]}, delete its claims, so it starts empty, delete pod; .*risk: all that is on ${volumes[claim]} is lost`,
                ),
            );
        }
        assert.equal(plan.steps.length, names.length + 1, "and one approval");
        assert.deepEqual(planOf(plan.preview, "demo-tikv-scale"), [], "nothing replaces what starts empty");
        const kinds = ["member-deleted", "store-deleted", "store-tombstone"] as const;
        assert.deepEqual(eventsOf(played, [...kinds], before), [], "a preview changes nothing");

        const [, digest] = /^approve: `npx pulumi-tidb approve demo (\w+) /.exec(plan.steps[names.length])!;
        await approvePlan(stack, sandbox.kubeconfig, digest, "--ahead");
        const old = await uids();
        const early: string[] = [];
        const isOut = (index: number) =>
            index === 0
                ? eventsOf(played, ["member-deleted"], before).length > 0
                : eventsOf(played, ["store-tombstone"], before).some(({ storeId }) => storeId === ids[index - 1]);
        // What comes later is read first, so nothing that comes in between is taken for too early.
        const look = async () => {
            for (const [index, { pod, claim }] of (await uids()).entries()) {
                const [isPodOld, isClaimOld] = [pod === old[index].pod, claim === old[index].claim];
                early.push(...(isPodOld || !isClaimOld ? [] : [`pod ${names[index]} is deleted before its claim`]));
                early.push(
                    ...(isClaimOld || isOut(index) ? [] : [`the claim of ${names[index]} goes before PD dropped it`]),
                );
            }
        };
        const run = stack.startUp(lost);
        let isOver = false;
        const ended = run.done.finally(() => (isOver = true));
        while (!isOver) {
            await look();
        }
        assertOk(await ended);
        assert.deepEqual(early, []);
        assert.deepEqual(
            eventsOf(played, [...kinds], before).map(({ kind, storeId, member }) => `${kind} ${storeId ?? member}`),
            [`member-deleted ${follower}`, ...ids.flatMap((id) => [`store-deleted ${id}`, `store-tombstone ${id}`])],
        );
        await until("all of them run elsewhere", () => (names.every(isUp) ? true : undefined));
        assert.notEqual(played.members().find(({ name }) => name === follower)?.id, memberId, "another member");
        names.slice(1).forEach((name, index) => {
            assert.notEqual(played.storeOfPod(name)?.id, ids[index], "another store, which starts empty");
        });
        for (const [index, { claim }] of (await uids()).entries()) {
            assert.notEqual(claim, old[index].claim);
            assert.notEqual((await podOf(names[index]))?.spec?.nodeName, node);
        }
        assert.equal((await tikv()).replicas, 4);
        const others = stoppedPods(played, before).filter((one) => !names.includes(one));
        assert.deepEqual(others, [], "no other pod is restarted");
        assert.deepEqual(await kubernetes.records(namespace, "demo"), { evictions: {}, removals: {} });
        const again = assertOk(await stack.preview(lost));
        assert.deepEqual(planOf(again, "demo-lost-nodes"), []);
        repeats(messagesOf(again, "demo-lost-nodes"), "operations.lostNodes");
    });

    it("the controller that replaces a dead PD member is killed before PD drops it, after that, and once its pod is deleted: the next one goes on, and there is one replacement", async () => {
        const { kubernetes } = arena();
        const played = stack.played();
        assertOk(await stack.up(wide));
        const lost = played.members().find(({ leader }) => !leader)!;
        const claim = async () =>
            (await kubernetes.claims(namespace)).find(({ metadata }) => metadata?.name === `pd-${lost.name}`)?.metadata
                ?.uid;
        const oldClaim = await claim();
        const before = played.events.length;
        faults().members[lost.name] = { unhealthy: true };
        faults().deletionRefused = true;
        const node = await kubernetes.setNodeOf(namespace, lost.name, "Unknown");
        makeNodeAgain = () => kubernetes.setNode(node, "True");
        const moments: Record<string, () => unknown> = {
            "the death is on record": async () => ((await failures("pd")).length > 0 ? true : undefined),
            "PD has dropped the member": () => eventsOf(played, ["member-deleted"], before)[0],
            "its pod is deleted": () => stoppedPods(played, before).includes(lost.name) || undefined,
        };
        for (const [moment, hasCome] of Object.entries(moments)) {
            const controller = startController();
            await until(moment, hasCome, 120_000);
            await controller.end("SIGKILL");
            faults().deletionRefused = false;
        }
        assert.deepEqual(
            (await failures("pd")).map(([pod, { counts }]) => [pod, counts]),
            [[lost.name, undefined]],
            "it does not count before the claim is deleted",
        );
        delete faults().members[lost.name];
        const last = await whileNoNodeTakesPods(arena(), async () => {
            const controller = startController();
            await until(
                "the replacement is added",
                async () => ((await kubernetes.statefulSet(namespace, "demo-pd")).replicas === 4 ? true : undefined),
                120_000,
            );
            return controller;
        });
        const names = ["demo-pd-0", "demo-pd-1", "demo-pd-2", "demo-pd-3"];
        await until(
            "four members are healthy",
            () =>
                names.every((name) => played.members().some((one) => one.name === name && one.healthy))
                    ? true
                    : undefined,
            120_000,
        );
        await until("the lock is free", () => isLockFree(arena(), stack));
        assert.equal(await last.end("SIGTERM"), 0);
        assert.equal(played.members().length, 4);
        assert.equal((await kubernetes.statefulSet(namespace, "demo-pd")).replicas, 4);
        assert.notEqual(played.members().find(({ name }) => name === lost.name)?.id, lost.id, "another member");
        assert.notEqual(await claim(), oldClaim);
        assert.deepEqual(
            eventsOf(played, ["member-deleted", "member-joined"], before)
                .map(({ kind, member }) => `${kind} ${member}`)
                .sort(),
            ["member-deleted", "member-joined", "member-joined"].map(
                (kind, index) => `${kind} ${index === 2 ? "demo-pd-3" : lost.name}`,
            ),
        );
        assert.deepEqual([...new Set(stoppedPods(played, before))], [lost.name], "no other pod is restarted");
        assert.deepEqual(
            (await failures("pd")).map(([pod, { counts, replacedBy }]) => [pod, counts, replacedBy]),
            [[lost.name, true, "demo-pd-3"]],
        );
        await until(
            "the replacement goes by itself",
            async () => {
                assertOk(await stack.up(wide));
                return (await kubernetes.statefulSet(namespace, "demo-pd")).replicas === 3 ? true : undefined;
            },
            180_000,
        );
        assert.deepEqual(await kubernetes.records(namespace, "demo"), { evictions: {}, removals: {} });
    });

    it("two of four stores are lost for good: their regions come back without them once a person has approved what is lost, and only once", async () => {
        const { kubernetes, sandbox } = arena();
        const { stores } = sandbox.dataPlane.faults(namespace, "demo");
        const played = stack.played();
        // A store that started empty has no region yet.
        const lost = played
            .stores()
            .filter(({ engine, regions }) => engine === "tikv" && regions > 0)
            .map(({ pod }) => pod)
            .slice(0, 2);
        const ids = lost.map((pod) => played.storeOfPod(pod)?.id ?? 0).sort((one, other) => one - other);
        const named = ids.join(", ");
        const unsafeRecovery = { failedStores: ids, neverComeBack: true } as const;
        const { timeouts } = change.operations;
        const recovers = { ...wide, operations: { timeouts, unsafeRecovery } };
        assertFailed(await stack.preview(recovers), /operations\.unsafeRecovery/);
        const before = played.events.length;
        lost.forEach((pod) => (stores[pod] = { dead: true }));
        const plan = await until("PD calls them Down", async () => {
            const preview = await stack.preview(recovers);
            // Before that the preview is refused, as it was above.
            const steps = preview.ok ? planOf(preview, "demo-recovery") : [];
            return steps.length === 2 ? steps : undefined;
        });
        assert.match(
            plan[0],
            new RegExp(
                `^recover stores ${named} \\(.* Down, .* Down.*\\): make PD remove stores ${named} as failed, .*; risk: \\d+ regions have lost the majority; \\d+ with a replica left, which may lack the last writes`,
            ),
        );
        const kinds = [
            "recovery-begun",
            "recovery-finished",
            "recovery-failed",
            "store-deleted",
            "pod-stopped",
        ] as const;
        assert.deepEqual(eventsOf(played, [...kinds], before), [], "a preview changes nothing");

        const [, digest] = /^approve: `npx pulumi-tidb approve demo (\w+) /.exec(plan[1])!;
        await approvePlan(stack, sandbox.kubeconfig, digest, "--ahead");
        const run = stack.startUp(recovers);
        await until("PD has finished", () => eventsOf(played, ["recovery-finished"], before)[0], 120_000);
        // As the page about it says: what was lost starts empty.
        for (const pod of lost) {
            delete stores[pod];
            await kubernetes.deleteClaim(namespace, `tikv-${pod}`);
            await kubernetes.deletePod(namespace, pod);
        }
        assertOk(await run.done);
        assert.deepEqual(
            eventsOf(played, ["recovery-begun", "recovery-finished", "recovery-failed"], before).map(
                ({ kind, detail }) => [kind, detail],
            ),
            [
                ["recovery-begun", named],
                ["recovery-finished", named],
            ],
        );
        for (const pod of lost) {
            const store = played.storeOfPod(pod);
            assert.equal(store?.state, "Up", pod);
            assert.ok(!ids.includes(store?.id ?? 0), "another store, which starts empty");
        }
        const others = stoppedPods(played, before).filter((pod) => !lost.includes(pod));
        assert.deepEqual(others, [], "no other pod is restarted");
        const { unsafeRecovery: recorded, ...rest } = await kubernetes.records(namespace, "demo");
        assert.deepEqual([recorded, rest], [{ finished: ids }, { evictions: {}, removals: {} }]);

        const since = played.events.length;
        const again = assertOk(await stack.preview(recovers));
        assert.deepEqual(planOf(again, "demo-recovery"), []);
        repeats(messagesOf(again, "demo-recovery"), `stores ${named}`);
        assertUnchanged(await stack.up(recovers));
        assert.deepEqual(eventsOf(played, [...kinds], since), []);
    });
});
