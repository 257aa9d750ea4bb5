import * as assert from "node:assert/strict";
import { join } from "node:path";
import { configEffects, isSetOnline, settableKeysOf } from "../../../../provider/lifecycle/configEffects";
import { checkManifest } from "../../../../components/checkManifest";
import { settingsFiles } from "../../../../provider/gates/looks";
import { pinned } from "../../../support/pinned";
import { smallCluster } from "../../components/manifests";

const file = join(__dirname, "../../../fixtures/onlineKeys.json");
const why =
    "A key that is added to this list, or taken out, gives a new name to the ConfigMap of everybody who uses `operations.rollout.online` with RollingUpdate and has the key in the configuration: their pods restart once. If that is wanted, say so in CHANGELOG.md and write the list with PULUMI_TIDB_PIN=1";

describe("the keys that are set online", () => {
    it("are these, because the names of ConfigMaps depend on them", () => {
        const keys = Object.fromEntries(
            Object.entries(configEffects).flatMap(([component, { setOnline = [] }]) =>
                setOnline.length === 0
                    ? []
                    : [[component, setOnline.map(({ on, asRoot = false, keys: its }) => ({ on, asRoot, keys: its }))]],
            ),
        );
        const text = `${JSON.stringify(keys, null, 4)}\n`;
        assert.deepEqual(JSON.parse(text), JSON.parse(pinned(file, text)), why);
    });

    it("are in one list of their member only: a key has one place", () => {
        for (const [component, { setOnline = [] }] of Object.entries(configEffects)) {
            const keys = setOnline.flatMap((one) => one.keys);
            assert.equal(new Set(keys).size, keys.length, component);
        }
    });

    it("are not those that the cluster keeps, that another server depends on, or that have an earlier name", () => {
        for (const key of [
            "mem-quota-query",
            "log.slow-threshold",
            "instance.tidb_enable_ddl",
            "instance.tidb_memory_usage_alarm_ratio",
            "instance.tidb_service_scope",
            "performance.max-procs",
        ]) {
            assert.ok(!isSetOnline("tidb", key, true), key);
        }
        assert.ok(
            !isSetOnline("tikv", "server.grpc-concurrency", true) && !isSetOnline("tikv", "rocksdb.wal-dir", true),
        );
        assert.ok(!isSetOnline("pd", "cluster-version", true) && !isSetOnline("tiflash", "log.level", true));
    });

    it("of TiDB that take a login are set online only if the program creates root's password", () => {
        const slow = "instance.tidb_slow_log_threshold";
        assert.deepEqual([isSetOnline("tidb", slow, false), isSetOnline("tidb", slow, true)], [false, true]);
        assert.ok(isSetOnline("tidb", "log.level", false));
    });

    it("of PD are its own in etcd, and the log level of each pod", () => {
        assert.equal(settableKeysOf("pd", "schedule.leader-schedule-limit")?.on, "member");
        assert.equal(settableKeysOf("pd", "log.level")?.on, "pods");
    });

    it("are in the file where a sweep looks for them, which has no program to tell", () => {
        const { members } = checkManifest(smallCluster());
        for (const component of ["pd", "tikv", "tidb"] as const) {
            assert.deepEqual(members[component]?.facts.configKeys, settingsFiles, component);
        }
    });
});
