import assert from "node:assert/strict";
import { type OnlineChange, configNotes } from "../../../../provider/lifecycle/configEffects/configChange";
import { configEffects } from "../../../../provider/lifecycle/configEffects";
import { isAmong } from "../../../../provider/lifecycle/configEffects/configEffects";
import type { Component } from "../../../../topology/members";
import { repeats } from "../../../support/repeats";

/** The messages for a change of these keys, with a restart unless the strategy is InPlace. */
function words(component: Component, keys: string[], restarts = true): string[] {
    const digests = (value: string) => Object.fromEntries(keys.map((key) => [key, value]));
    return configNotes(component, digests("a"), digests("b"), restarts).map((note) => note.words);
}

describe("when a changed configuration takes effect", () => {
    // From the pages that the tables name as their sources.
    const rows: [Component, string, "at its start" | "in another way" | "warns" | { by: string }][] = [
        ["tikv", "server.grpc-concurrency", "at its start"],
        ["tikv", "raftstore.apply-pool-size", { by: "SET CONFIG tikv" }],
        ["tikv", "rocksdb.defaultcf.write-buffer-size", { by: "SET CONFIG tikv" }],
        ["tikv", "raftdb.max-background-jobs", { by: "SET CONFIG tikv" }],
        ["tikv", "rocksdb.writecf.titan.blob-run-mode", { by: "SET CONFIG tikv" }],
        ["tikv", "rocksdb.wal-dir", "at its start"],
        ["tikv", "storage.api-version", "warns"],
        ["tikv", "storage.enable-ttl", "warns"],
        ["tikv", "storage.engine", "warns"],
        ["pd", "log.level", { by: "PD's leader alone by SET CONFIG pd" }],
        ["pd", "replication.max-replicas", "warns"],
        ["pd", "replication-mode.mode", "warns"],
        ["pd", "schedule.leader-schedule-limit", "warns"],
        ["tikv", '"log.level"', "in another way"],
        ["tikv", 'storage."block-cache.capacity"', "in another way"],
        ["pd", "lease", "at its start"],
        ["tidb", "log.slow-threshold", { by: "tidb_slow_log_threshold" }],
        ["tidb", "new_collations_enabled_on_first_bootstrap", "warns"],
        ["tidb", "performance.max-procs", "at its start"],
        ["tiflash", "profiles.default.max_threads", { by: "tidb_max_tiflash_threads" }],
        ["tiproxy", "proxy.max-connections", "in another way"],
        ["tiproxy", "proxy.addr", "at its start"],
        ["ticdc", "per-table-memory-quota", "at its start"],
    ];
    for (const [component, key, takes] of rows) {
        it(`${component}: ${key}`, () => {
            const [note, ...others] = configNotes(component, { [key]: "a" }, { [key]: "b" }, true);
            const [ofAnyKey] = words(component, ["any-key"]);
            assert.deepEqual(others, []);
            assert.equal(note.isWarning, takes === "warns");
            assert.equal(note.words === ofAnyKey.replace("any-key", key), takes === "at its start", note.words);
            repeats(note.words, key, typeof takes === "object" ? takes.by : "");
        });
    }

    it("only keys of PD that gates can set online come with that advice", () => {
        const isSettable = (key: string) => words("pd", [key])[0].includes("operations.rollout.online");
        assert.deepEqual(["replication.max-replicas", "replication-mode.mode"].map(isSettable), [true, false]);
    });

    it("unchanged keys are not mentioned; added and removed ones are", () => {
        assert.deepEqual(configNotes("tikv", { a: "1" }, { a: "1" }, true), []);
        assert.deepEqual(
            configNotes("tikv", { a: "1", b: "1" }, { b: "1", c: "1" }, true).map((note) => note.words),
            [
                "config of tikv: a: removed: the server's default applies at the restart",
                "config of tikv: c: takes effect at the restart, if the server has such a setting",
            ],
        );
        const [removed] = configNotes("pd", { "replication.max-replicas": "3" }, {}, true);
        assert.ok(removed.isWarning && !removed.words.includes("operations.rollout.online"));
        assert.deepEqual(words("tikv", ["constructor", "__proto__"]), [
            "config of tikv: __proto__, constructor: takes effect at the restart, if the server has such a setting",
        ]);
    });

    it("with InPlace no pod is restarted, and it says so", () => {
        assert.deepEqual(words("tiproxy", ["log.level"], false), [
            "config of tiproxy: log.level: is read when TiProxy notices the changed file (InPlace restarts none)",
        ]);
        assert.deepEqual(words("tikv", ["server.labels"], false), [
            "config of tikv: server.labels: takes effect when a pod next starts (InPlace restarts none), if the server has such a setting",
        ]);
    });

    it("a key that left the program is not read any more: the server's default applies", () => {
        const words = (restarts: boolean) =>
            configNotes("tikv", { "server.labels": "1", "log.level": "2" }, {}, restarts).map((note) => note.words);
        const removed = "config of tikv: log.level, server.labels: removed: the server's default applies";
        assert.deepEqual(words(true), [`${removed} at the restart`]);
        assert.deepEqual(words(false), [`${removed} when a pod next starts (InPlace restarts none)`]);
    });

    it("a key of bootstrap that left the program was removed, and its advice fits that too", () => {
        const left = (component: "tikv" | "pd", key: string) =>
            configNotes(component, { [key]: "1" }, {}, true).map(({ words, isWarning }) => [words, isWarning]);
        assert.deepEqual(left("tikv", "storage.engine"), [
            [
                "config of tikv: storage.engine: removed: used only at bootstrap, no effect on a running cluster: a store keeps the engine that it was created with; another one needs a new cluster, to which the data is moved",
                true,
            ],
        ]);
    });

    it("a key that gates set online is a step, not a note; a removed one is a warning", () => {
        const said = (before: Record<string, string>, after: Record<string, string>, online: OnlineChange) =>
            configNotes("tikv", before, after, false, online).map((note) => [note.words, note.isWarning]);
        const key = "raftstore.apply-pool-size";
        const set = { before: { [key]: 1 }, after: { [key]: 2 } };
        assert.deepEqual(said({ [key]: "1" }, { [key]: "2" }, set), []);
        assert.deepEqual(said({}, { [key]: "2" }, { ...set, before: {} }), []);
        assert.deepEqual(said({ [key]: "1" }, {}, { ...set, after: {} }), [
            [
                `config of tikv: ${key}: removed: its default is not known, so running servers keep their value for now; to change it online, give it a value`,
                true,
            ],
        ]);
        // Switched on by the same update: the removed key was never set online.
        assert.equal(said({ [key]: "1" }, {}, { before: {}, after: {} })[0][1], false);
        assert.equal(said({ "server.labels": "1" }, { "server.labels": "2" }, set).length, 1);
    });

    it("an item that the cluster keeps as a system variable has no effect from TiDB's file", () => {
        repeats(words("tidb", ["mem-quota-query"]), "SET GLOBAL tidb_mem_quota_query");
    });

    it("only a change without the expected effect is a warning", () => {
        const notes = configNotes("tikv", {}, { "storage.engine": "1", "log.level": "1", a: "1" }, true);
        assert.deepEqual(
            notes.map(({ isWarning }) => isWarning),
            [true, false, false],
        );
    });

    it("a line names as many keys as can be read", () => {
        const keys = Array.from({ length: 8 }, (_, index) => `key-${index}`);
        assert.deepEqual(words("tikv", keys), [
            `config of tikv: ${keys.join(", ")}: takes effect at the restart, if the server has such a setting`,
        ]);
    });
    it("a line names no more keys than can be read", () => {
        const keys = Array.from({ length: 30 }, (_, index) => `key-${String(index).padStart(2, "0")}`);
        assert.deepEqual(words("tikv", keys), [
            `config of tikv: ${keys.slice(0, 8).join(", ")} and 22 more: takes effect at the restart, if the server has such a setting`,
        ]);
    });

    it("each table names its sources and lists no key twice", () => {
        for (const [component, { sources, online, bootstrap }] of Object.entries(configEffects)) {
            assert.ok(sources.length > 0 && sources.every((source) => source.startsWith("docs.pingcap.com/")));
            const keys = [...online, ...bootstrap].flatMap((one) => one.keys);
            assert.deepEqual(
                keys.filter((key, index) => keys.indexOf(key) !== index),
                [],
                component,
            );
        }
    });

    it("one star in a pattern is one part, two stars are everything below", () => {
        assert.ok(isAmong("rocksdb.defaultcf.a", ["rocksdb.*.a"]));
        assert.ok(!isAmong("rocksdb.a", ["rocksdb.*.a"]));
        assert.ok(!isAmong("rocksdb.b.c.a", ["rocksdb.*.a"]));
        assert.ok(!isAmong("rocksdb.defaultcf.a.b", ["rocksdb.*.a"]));
        assert.ok(isAmong("schedule.a.b", ["schedule.**"]));
        assert.ok(!isAmong("schedule", ["schedule.**"]));
        assert.ok(!isAmong("schedules.a", ["schedule.**"]));
    });
});
