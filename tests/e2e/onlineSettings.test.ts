import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    assertUnchanged,
    dataLoaded,
    eventsOf,
    messagesOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { sweepStack } from "../support/e2e/statusCommand";
import { repeats } from "../support/repeats";

const [pool, limit] = ["apply-pool-size", "leader-schedule-limit"];
const slow = "tidb_slow_log_threshold";
const pods = ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2"];

/**
 * A cluster whose settings are set online: TiKV's pool, PD's limit, the log level of PD and TiDB, TiDB's threshold, and more of
 * TiKV's configuration.
 */
const at = (
    poolSize: number,
    limitOfPd: number,
    tikv: Record<string, unknown> = {},
    { level = "info", threshold = 300 } = {},
): ClusterChange => ({
    pd: { replicas: 1, config: { schedule: { [limit]: limitOfPd }, log: { level } } },
    tikv: { config: { raftstore: { [pool]: poolSize }, ...tikv } },
    tidb: {
        replicas: 2,
        config: { log: { level }, instance: { [slow]: threshold } },
        initializer: { createPassword: true },
    },
    spec: { configUpdateStrategy: "RollingUpdate" },
    operations: { rollout: { online: true } },
});

/** One cluster: each scenario begins where the one before has ended. */
describeOnEngine("settings online", (arena) => {
    let stack: ClusterStack;
    const played = () => stack.played();
    const live = () => pods.map((pod) => (played().tikvConfig(pod).raftstore as Record<string, unknown>)[pool]);
    const ofPd = () => played().pdConfig().schedule[limit];
    const configOf = (member: string) => arena().kubernetes.mountedConfig("online", `demo-${member}`);
    before(async () => {
        stack = await clusterStack(arena(), "online");
        assertOk(await stack.up(at(2, 4)));
        await dataLoaded(played());
    });

    it("are previewed, set on each store and in PD, read back and written to the ConfigMaps, without a restart", async () => {
        const before = played().events.length;
        const names = [(await configOf("tikv")).name, (await configOf("pd")).name];

        const preview = assertOk(await stack.preview(at(4, 8)));
        assert.deepEqual(planOf(preview, "demo-tikv-settings"), [
            "set demo-tikv (raftstore.apply-pool-size from 2 to 4, without a restart): on demo-tikv-0, on demo-tikv-1 and demo-tikv-2; until all 3 report it (~4 s)",
        ]);
        assert.deepEqual(planOf(preview, "demo-pd-settings"), [
            "set demo-pd (schedule.leader-schedule-limit from 4 to 8, without a restart): on demo-pd; until it is read back (~2 s)",
        ]);
        const [summary] = messagesOf(preview, "demo");
        assert.equal(
            summary,
            "demo: 2 steps, about 6 s (rules of thumb): set settings online in PD and TiKV; no risk found",
        );
        assert.deepEqual(played().events.slice(before), [], "a preview sets nothing");

        assertOk(await stack.up(at(4, 8)));
        assert.deepEqual([live(), ofPd()], [[4, 4, 4], 8]);
        assert.deepEqual(stoppedPods(played(), before), []);
        const set = eventsOf(played(), ["config-set"], before).map(({ pod = "PD" }) => pod);
        // The stores are set side by side.
        assert.deepEqual([set[0], ...set.slice(1).sort()], ["PD", ...pods]);
        const [tikv, pd] = [await configOf("tikv"), await configOf("pd")];
        assert.match(tikv.text, /apply-pool-size = 4/);
        assert.match(pd.text, /leader-schedule-limit = 8/);
        assert.deepEqual([tikv.name, pd.name], names, "the templates name the same ConfigMaps");
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(at(4, 8)));

        await arena().kubernetes.deletePod("online", "demo-tikv-1");
        await until("the store has restarted", () => eventsOf(played(), ["store-up"], before)[0]);
        assert.deepEqual(live(), [4, 4, 4], "a store that starts later reads the new file");
    });

    it("that were changed by hand are shown in the preview, and stay", async () => {
        played().setTikvConfig("demo-tikv-2", { [`raftstore.${pool}`]: 7 });
        const preview = assertOk(await stack.preview(at(4, 8)));
        assert.deepEqual(messagesOf(preview, "demo-tikv-settings"), [
            "demo-tikv: raftstore.apply-pool-size is 7 on demo-tikv-2, but 4 in the program: somebody has changed it outside the program, or the program has changed while operations.rollout.online was off or no server ran; it stays until the pod restarts or the program's value changes",
        ]);
        assertUnchanged(await stack.up(at(4, 8)));
        assert.deepEqual(live(), [4, 4, 7]);
    });

    it("are taken back if a store refuses them, each to what it was, and the ConfigMap stays", async () => {
        const before = played().events.length;
        played().faults.stores["demo-tikv-1"] = { refusesSettings: true };
        assertFailed(
            await stack.up(at(5, 8)),
            /set: demo-tikv: could not set raftstore\.apply-pool-size = 5 on demo-tikv-1, demo-tikv-2: demo-tikv-1 does not take over raftstore\.apply-pool-size = 5: it answered 500: failed to update/,
            /what was set before is taken back/,
        );
        assert.deepEqual(live(), [4, 4, 7]);
        assert.match((await configOf("tikv")).text, /apply-pool-size = 4/);
        assert.deepEqual(stoppedPods(played(), before), []);
        await assertNothingLeft(arena(), stack);
        delete played().faults.stores["demo-tikv-1"];
        assertOk(await stack.up(at(5, 8)));
        assert.deepEqual(live(), [5, 5, 5]);
    });

    it("are set at once, and the rest of the same change restarts the stores", async () => {
        const before = played().events.length;
        const name = (await configOf("tikv")).name;
        const change = at(6, 8, { server: { "grpc-concurrency": 5 } });
        const preview = assertOk(await stack.preview(change));
        assert.match(planOf(preview, "demo-tikv-settings")[0], /from 5 to 6/);
        const roll = planOf(preview, "demo-tikv-rollout");
        assert.equal(
            roll[0],
            "config of tikv: server.grpc-concurrency: takes effect at the restart, if the server has such a setting",
        );
        assert.equal(roll.filter((line) => line.startsWith("restart ")).length, 3);
        assertOk(await stack.up(change));
        const kinds = eventsOf(played(), ["config-set", "pod-stopped"], before).map(({ kind }) => kind);
        assert.deepEqual(kinds, [...pods.map(() => "config-set"), ...pods.map(() => "pod-stopped")]);
        assertSafeStops(played(), before);
        assert.deepEqual(live(), [6, 6, 6]);
        assert.notEqual((await configOf("tikv")).name, name);
        await assertNothingLeft(arena(), stack);
    });

    /** The first store is set; the others do not answer until the run is dead. */
    async function killAfterFirstStore(change: ClusterChange): Promise<void> {
        const before = played().events.length;
        const run = stack.startUp(change);
        await until("the first store is set", () => eventsOf(played(), ["config-set"], before)[0]);
        played().faults.stores["demo-tikv-1"] = { statusPort: "nothing" };
        await new Promise((resolve) => setTimeout(resolve, 500));
        run.kill();
        await run.done;
        delete played().faults.stores["demo-tikv-1"];
    }

    it("that a killed run has begun are continued by the next one", async () => {
        const change = at(8, 8, { server: { "grpc-concurrency": 5 } });
        await killAfterFirstStore(change);
        assert.deepEqual(live(), [8, 6, 6]);
        const preview = assertOk(await stack.preview(at(6, 8, { server: { "grpc-concurrency": 5 } })));
        assert.match(
            planOf(preview, "demo-tikv-settings")[0],
            /^set demo-tikv \(raftstore\.apply-pool-size back to 6, without a restart; an earlier run began it\): on /,
        );
        assertOk(await stack.up(change));
        assert.deepEqual(live(), [8, 8, 8]);
        await assertNothingLeft(arena(), stack);
    });

    it("that a killed run has begun are taken back by a sweep", async () => {
        const rest = { server: { "grpc-concurrency": 5 } };
        await killAfterFirstStore(at(9, 8, rest));
        const { kubeconfig } = arena().sandbox;
        const { document } = await sweepStack(stack, kubeconfig, "--yes");
        const [settings] = document.leftovers.filter(({ kind }) => kind === "settings");
        assert.deepEqual([settings.target, settings.verdict, settings.isRemoved], ["demo-tikv", "remove", true]);
        assert.deepEqual(live(), [8, 8, 8]);
        await assertNothingLeft(arena(), stack);
    });

    it("of TiDB and the log level of PD are set on each server without a restart, over SQL as root", async () => {
        const rest = { server: { "grpc-concurrency": 5 } };
        const before = played().events.length;
        const names = [(await configOf("tidb")).name, (await configOf("pd")).name];
        const change = at(8, 8, rest, { level: "warn", threshold: 500 });
        const preview = assertOk(await stack.preview(change));
        assert.deepEqual(planOf(preview, "demo-tidb-settings"), [
            `set demo-tidb (instance.${slow} from 300 to 500, log.level from info to warn, without a restart): on demo-tidb-0, on demo-tidb-1; until all 2 report it (~4 s)`,
        ]);
        assert.deepEqual(planOf(preview, "demo-pd-settings"), [
            "set demo-pd (log.level from info to warn, without a restart): on demo-pd-0; until it is read back (~2 s)",
        ]);
        assertOk(await stack.up(change));
        const servers = () => ["demo-tidb-0", "demo-tidb-1"].map((pod) => played().tidbProcess(pod));
        assert.deepEqual(
            servers().map(({ config, variables }) => [config.log.level, variables[slow]]),
            [
                ["warn", "500"],
                ["warn", "500"],
            ],
        );
        assert.deepEqual(played().pdLogLevels(), { "demo-pd-0": "warn" });
        assert.deepEqual(stoppedPods(played(), before), []);
        assert.match((await configOf("tidb")).text, /tidb_slow_log_threshold = 500/);
        assert.deepEqual([(await configOf("tidb")).name, (await configOf("pd")).name], names);
        await assertNothingLeft(arena(), stack);

        played().setTidbVariable("demo-tidb-1", slow, "900");
        assert.deepEqual(messagesOf(assertOk(await stack.preview(change)), "demo-tidb-settings"), [
            `demo-tidb: instance.${slow} is 900 on demo-tidb-1, but 500 in the program: somebody has changed it outside the program, or the program has changed while operations.rollout.online was off or no server ran; it stays until the pod restarts or the program's value changes`,
        ]);

        const password = played().rootPassword();
        played().setRootPassword("changed-by-hand");
        assertFailed(
            await stack.preview(at(8, 8, rest, { level: "warn", threshold: 700 })),
            /spec\.tidb\.config: .*: TiDB does not accept the password in Secret demo-init for root\. Next: write root's password to the key root of Secret demo-init/,
        );
        assertUnchanged(await stack.up(change));
        played().setRootPassword(password);
    });

    it("of PD that change while it is suspended are named and not set, and the version that comes with the resume is named too", async () => {
        const to = (limitOfPd: number): ClusterChange =>
            at(8, limitOfPd, { server: { "grpc-concurrency": 5 } }, { level: "warn", threshold: 500 });
        const [before, after] = [to(8), to(16)];
        const suspendAction = { suspendStatefulSet: true };
        assertOk(await stack.up({ ...before, spec: { ...before.spec, suspendAction } }));
        const resumed = { ...after, version: "v8.5.3" };
        const preview = assertOk(await stack.preview(resumed));
        assert.deepEqual(messagesOf(preview, "demo-pd-settings"), [
            `demo-pd: this update does not set schedule.${limit} = 16: pd is suspended, and starts with the values that it has stored. Where it says otherwise once it runs, use SET CONFIG pd or pd-ctl, or change the program's value in an update then`,
        ]);
        assert.match(
            planOf(preview, "demo-pd-rollout")[0],
            /^start demo-pd-0 \(does not exist yet; v8\.5\.2 to v8\.5\.3\)/,
        );
        assertOk(await stack.up(resumed));
        assert.equal(ofPd(), 8, "PD has stored it");
        const said = messagesOf(assertOk(await stack.preview(resumed)), "demo-pd-settings");
        repeats(said, "schedule.leader-schedule-limit is 8 on demo-pd", "16");
    });
});
