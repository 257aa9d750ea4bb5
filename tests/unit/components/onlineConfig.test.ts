import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { gatesOf } from "../../../components/gatesOf";
import { smallCluster } from "./manifests";

const online = { rollout: { online: true } };

/** The member's ConfigMap and template with this configuration. */
function rendered(
    config: unknown,
    operations?: object,
    strategy = "RollingUpdate",
    member: "tikv" | "pd" | "tidb" = "tikv",
) {
    const manifest = smallCluster(({ spec }) =>
        Object.assign((spec[member] ??= {}), { config, configUpdateStrategy: strategy }),
    );
    const { configMap, facts } = checkManifest(manifest, [], operations).members[member]!;
    return { name: configMap?.metadata.name, data: configMap?.data as object, template: facts.templateRevision, facts };
}

describe("with operations.rollout.online", () => {
    const pool = (size: number) => ({ raftstore: { "apply-pool-size": size } });

    it("a changed, new or removed setting that is set online leaves the template as it is, and changes the ConfigMap's data", () => {
        const [two, four, none] = [pool(2), pool(4), {}].map((config) => rendered(config, online));
        assert.deepEqual([four.name, four.template], [two.name, two.template]);
        assert.deepEqual([none.name, none.template], [two.name, two.template]);
        assert.notDeepEqual(four.data, two.data);
        assert.match(JSON.stringify(four.data), /apply-pool-size = 4/);
    });

    it("a key with a dot at the top, which the server does not read, is no setting", () => {
        const { facts } = rendered({ "raftstore.apply-pool-size": 2 }, online);
        assert.deepEqual(facts.settings(), {});
        assert.deepEqual(Object.keys(rendered(pool(2), online).facts.settings()), ["raftstore.apply-pool-size"]);
    });

    it("another change, also beside such a setting, makes another template, hence restarts", () => {
        const before = rendered(pool(2), online);
        for (const config of [
            { server: { "grpc-concurrency": 5 } },
            { ...pool(4), server: { "grpc-concurrency": 5 } },
        ]) {
            assert.notEqual(rendered(config, online).template, before.template);
        }
    });

    it("a setting in text is the same as one in a map", () => {
        assert.equal(rendered("[raftstore]\napply-pool-size = 9\n", online).name, rendered(pool(2), online).name);
    });

    it("settings of TiDB that take no login leave the template as it is; other names of an item restart", () => {
        const level = (one: string) => rendered({ log: { level: one } }, online, "RollingUpdate", "tidb");
        assert.equal(level("info").template, level("warn").template);
        const slow = (threshold: number) =>
            rendered({ log: { "slow-threshold": threshold } }, online, "RollingUpdate", "tidb");
        assert.notEqual(slow(1).template, slow(2).template);
    });

    it("settings of TiDB that take a login restart, unless the program creates root's password", () => {
        const slow = (threshold: number, createPassword: boolean) => {
            const manifest = smallCluster(({ spec }) => {
                Object.assign(spec.tidb, {
                    config: { instance: { tidb_slow_log_threshold: threshold } },
                    configUpdateStrategy: "RollingUpdate",
                    initializer: { createPassword },
                });
            });
            return checkManifest(manifest, [], online).members.tidb!.facts;
        };
        assert.notEqual(slow(1, false).templateRevision, slow(2, false).templateRevision);
        assert.deepEqual(slow(1, false).settings(), {});
        assert.equal(slow(1, true).templateRevision, slow(2, true).templateRevision);
        assert.deepEqual(slow(1, true).settings(), { "instance.tidb_slow_log_threshold": 1 });
    });

    it("settings of TiFlash restart as without it", () => {
        const tiflash = (level: string) =>
            checkManifest(
                smallCluster(({ spec }) => {
                    spec.tiflash = {
                        replicas: 1,
                        config: { config: { logger: { level } } },
                        configUpdateStrategy: "RollingUpdate",
                        storageClaims: [{ resources: { requests: { storage: "1Gi" } } }],
                    };
                }),
                [],
                online,
            ).members.tiflash!.facts.templateRevision;
        assert.notEqual(tiflash("info"), tiflash("warn"));
    });

    it("InPlace stays as it is", () => {
        assert.equal(rendered(pool(2), online, "InPlace").template, rendered(pool(2), undefined, "InPlace").template);
    });

    it("a configuration without such settings gets the name that it has without the option", () => {
        const config = { server: { "grpc-concurrency": 5 } };
        assert.equal(rendered(config, online).name, rendered(config).name);
    });

    it("the gates get the settings in clear, and only those that can be set online", () => {
        const config = {
            ...pool(2),
            server: { "grpc-concurrency": 5 },
            rocksdb: { defaultcf: { "write-buffer-size": "64MB" }, "wal-dir": "/var/lib/tikv/wal" },
        };
        assert.deepEqual(rendered(config, online).facts.settings(), {
            "raftstore.apply-pool-size": 2,
            "rocksdb.defaultcf.write-buffer-size": "64MB",
        });
        const pd = {
            replication: { "location-labels": ["zone", "host"] },
            schedule: { "schedulers-v2": [{ type: "x" }] },
        };
        assert.deepEqual(rendered(pd, online, "InPlace", "pd").facts.settings(), {
            "replication.location-labels": "zone,host",
        });
    });
});

describe("the gates that set settings", () => {
    const cluster = (operations?: object) =>
        checkManifest(
            smallCluster(({ spec }) => Object.assign((spec.tikv ??= {}), { config: {} })),
            [],
            operations,
        );
    const names = (operations?: object) => gatesOf(cluster(operations), operations).map(({ name }) => name);

    it("are those of PD, TiKV and TiDB, each before the member's other gates, and only with the option", () => {
        const added = names(online).filter((name) => !names().includes(name));
        assert.deepEqual(added, ["pd-settings", "tikv-settings", "tidb-settings"]);
        assert.equal(names(online).indexOf("tikv-settings"), names(online).indexOf("tikv-scale") - 1);
        assert.deepEqual(names({ rollout: { online: false } }), names());
    });

    it("change no input of the other gates without the option", () => {
        const inputs = gatesOf(cluster()).map((gate) => Object.keys(gate.inputs));
        assert.ok(inputs.flat().every((name) => name !== "settings" && name !== "configFiles"));
        const rollout = gatesOf(cluster(online), online).filter(({ inputs: { settings } }) => settings !== undefined);
        assert.deepEqual(
            rollout.map(({ name }) => name),
            ["pd-settings", "pd-rollout", "tikv-settings", "tikv-rollout", "tidb-settings", "tidb-rollout"],
        );
    });

    it("know whether the option gives the ConfigMap another name: then switching it on restarts pods", () => {
        const pool = { raftstore: { "apply-pool-size": 4 } };
        assert.equal(rendered(pool, online).facts.isNamedOnline(), true);
        assert.equal(rendered(pool).facts.isNamedOnline(), false);
        assert.equal(rendered(pool, online, "InPlace").facts.isNamedOnline(), false);
        assert.equal(rendered({ "log-file": "a" }, online).facts.isNamedOnline(), false);
        const told = (operations?: object) =>
            gatesOf(
                checkManifest(
                    smallCluster(({ spec }) =>
                        Object.assign(spec.tikv!, { config: pool, configUpdateStrategy: "RollingUpdate" }),
                    ),
                    [],
                    operations,
                ),
                operations,
            ).flatMap(({ name, inputs: { isNamedOnline } }) => (isNamedOnline === undefined ? [] : [name]));
        assert.deepEqual([told(online), told()], [["tikv-rollout"], []]);
    });

    it("tell the rollout of TiKV what PD is set to, as long as its plan tells of PD's limits and PD runs", () => {
        const told = (
            operations: object,
            change: (spec: ReturnType<typeof smallCluster>["spec"]) => unknown = () => 0,
        ) => {
            const manifest = smallCluster(({ spec }) => {
                Object.assign(spec.pd!, { config: { schedule: { "leader-schedule-limit": 8 } } });
                change(spec);
            });
            return gatesOf(checkManifest(manifest, [], operations), operations).flatMap(
                ({ name, inputs: { pdSettings } }) =>
                    pdSettings === undefined ? [] : [[name, (pdSettings as { settings: object }).settings]],
            );
        };
        assert.deepEqual(told(online), [["tikv-rollout", { "schedule.leader-schedule-limit": 8 }]]);
        assert.deepEqual(told({}), []);
        assert.deepEqual(told({ rollout: { online: true, evictionWindow: false } }), []);
        const suspendAction = { suspendStatefulSet: true };
        assert.deepEqual(
            told(online, ({ pd }) => Object.assign(pd!, { suspendAction })),
            [],
        );
    });
});
