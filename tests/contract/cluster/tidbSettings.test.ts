import * as assert from "node:assert/strict";
import type { PodRequest } from "../../../provider/cluster/podCalls";
import type { Forward } from "../../../provider/cluster/portForward";
import { RootLogin } from "../../../provider/cluster/rootLogin";
import { SqlLogin } from "../../../provider/cluster/sqlLogin";
import { TidbSettings } from "../../../provider/cluster/tidbSettings";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import type { Settings } from "../../../provider/lifecycle/vocabulary/settings";
import { instanceVariables, statusPortSettings } from "../../../provider/lifecycle/configEffects/tidbSettings";
import { systemClock } from "../../../sandbox/dataPlane/clock";
import type { Listener } from "../../../sandbox/dataPlane/listener";
import { startPodListener } from "../../../sandbox/dataPlane/podListeners";
import { settledCluster } from "../../../sandbox/dataPlane/settledCluster";
import { type SqlListener, startSqlListener } from "../../../sandbox/dataPlane/sqlListener";
import { podCallsOf } from "../../support/cluster/podCallsOf";
import { repeats } from "../../support/repeats";

const [level, slow, plan] = ["log.level", "instance.tidb_slow_log_threshold", "instance.tidb_record_plan_in_slow_log"];
const names = ["basic-tidb-0", "basic-tidb-1"];
const pods = names.map((name, ordinal) => ({ name, uid: String(ordinal), terminating: false })) as ObservedPod[];

describe("the settings of running TiDB servers", () => {
    const { state, cluster } = settledCluster({ tidb: 2 });
    let pages: Record<string, Listener>;
    let sql: Record<string, SqlListener>;
    let logins: string[];
    let secret: string | undefined;
    let may: boolean;
    let root: RootLogin;
    before(async () => {
        const listen = async <T>(start: (pod: string) => Promise<T>) =>
            Object.fromEntries(await Promise.all(names.map(async (pod) => [pod, await start(pod)] as const)));
        pages = await listen((pod) => startPodListener(state, "tidb", pod, systemClock));
        sql = await listen((pod) => startSqlListener(state, pod, systemClock));
    });
    after(() => Promise.all([...Object.values(pages), ...Object.values(sql)].map((one) => one.close())));
    beforeEach(() => {
        names.forEach((pod) => {
            cluster.stopPod(pod);
            cluster.startPod(pod);
            delete cluster.faults.tidb[pod];
        });
        cluster.setRootPassword("Secret-1");
        [secret, logins, may] = ["Secret-1", [], true];
        const login = new SqlLogin({
            to: ({ name }) => {
                logins.push(name);
                return Promise.resolve({ port: sql[name].port } as Forward);
            },
            keepOnly: () => undefined,
        });
        const readSecretObject = () =>
            Promise.resolve(secret === undefined ? undefined : { data: { root: secret }, annotations: {} });
        root = new RootLogin({ readSecretObject }, { namespace: "tidb", cluster: "basic" }, login);
    });
    const settings = () => {
        const call = async ({ name }: { name: string }, { method = "GET", path, body }: PodRequest) => {
            const answer = await fetch(pages[name].url + path, { method, body: body as URLSearchParams | undefined });
            return { status: answer.status, text: await answer.text() };
        };
        return new TidbSettings(podCallsOf(call), root, () => 7);
    };
    const look = (...keys: string[]) => settings().read("basic-tidb", pods, keys);
    const set = (server: string, values: Settings) =>
        settings().set({ server, uid: "0", settings: values }, () => assert.ok(may, "the lock is lost"));
    const live = async (...keys: string[]) =>
        Object.values((await look(...keys)).live).map((fact) => (fact.known ? fact.value : fact.why));

    it("are set on one server, on its status port and as system variables, and read back in the file's form", async () => {
        const values = { [level]: "debug", [slow]: 500, [plan]: 0, "instance.tidb_enable_slow_log": false };
        await set("basic-tidb-1", values);
        assert.deepEqual(await live(...Object.keys(values)), [
            { [level]: "info", [slow]: "300", [plan]: 1, "instance.tidb_enable_slow_log": true },
            { [level]: "debug", [slow]: "500", [plan]: 0, "instance.tidb_enable_slow_log": false },
        ]);
    });

    const other: Settings = {
        "log.level": "warn",
        "instance.tidb_check_mb4_value_in_utf8": false,
        "pessimistic-txn.deadlock-history-capacity": 20,
        "pessimistic-txn.deadlock-history-collect-retryable": true,
        "transaction-summary.transaction-summary-capacity": 600,
        "transaction-summary.transaction-id-digest-min-duration": 1000,
        "instance.tidb_general_log": true,
        "instance.tidb_enable_slow_log": false,
        "instance.tidb_slow_log_threshold": 200,
        "instance.tidb_record_plan_in_slow_log": 0,
        "instance.ddl_slow_threshold": 100,
        "instance.tidb_expensive_query_time_threshold": 90,
        "instance.tidb_expensive_txn_time_threshold": 900,
        "instance.tidb_enable_collect_execution_info": false,
        "instance.tidb_force_priority": "HIGH_PRIORITY",
        "instance.tidb_rc_read_check_ts": true,
        "instance.max_connections": 1000,
    };
    it("are all in the tables, and each one is taken over and reported", async () => {
        const keys = [...Object.keys(statusPortSettings), ...Object.keys(instanceVariables)];
        assert.deepEqual(Object.keys(other).sort(), keys.sort());
        for (const [key, value] of Object.entries(other)) {
            await set("basic-tidb-0", { [key]: value });
        }
    });

    it("are those of the file again when the server restarts", async () => {
        await set("basic-tidb-0", { [level]: "debug", [slow]: 500 });
        cluster.stopPod("basic-tidb-0");
        cluster.startPod("basic-tidb-0");
        assert.deepEqual((await live(level, slow))[0], { [level]: "info", [slow]: "300" });
    });

    for (const [what, values, why] of [
        [
            "on the status port",
            { [level]: "loud" },
            /^Error: basic-tidb-0 does not take over log\.level = loud: it answered 400: unrecognized level: "loud", and reports log\.level = info$/,
        ],
        [
            "as a system variable",
            { [slow]: "many" },
            /^Error: basic-tidb-0 does not take over .* = many: SQL port 4000: Incorrect argument type to variable/,
        ],
    ] as const) {
        it(`that a server refuses ${what} fail with its words`, async () => {
            await assert.rejects(set("basic-tidb-0", values), why);
        });
    }

    it("that this version does not have are missing, and do not hide the others", async () => {
        delete (cluster.tidbProcess("basic-tidb-0").variables as Record<string, string>).tidb_rc_read_check_ts;
        assert.deepEqual((await live(slow, "instance.tidb_rc_read_check_ts"))[0], { [slow]: "300" });
    });

    it("over SQL are barred if the Secret has no password or another one; those of the status port are not", async () => {
        for (const password of [undefined, "another"]) {
            secret = password;
            const { barred, live: says } = await look(level, slow);
            assert.deepEqual(barred?.keys, [slow]);
            repeats(barred?.seen, "Secret basic-init");
            assert.ok(says["basic-tidb-0"].known && says["basic-tidb-0"].value[level] === "info");
        }
    });

    it("over SQL are barred if TiDB accepts no login without TLS, and the password is not taken for a wrong one", async () => {
        cluster.faults.tidb["basic-tidb-0"] = { requiresTls: true };
        const { barred, live: says } = await look(level, slow);
        assert.deepEqual(barred?.keys, [slow]);
        repeats(barred?.next, "`require_secure_transport` to OFF");
        assert.ok(says["basic-tidb-0"].known && says["basic-tidb-0"].value[level] === "info");
        delete cluster.faults.tidb["basic-tidb-0"];
        assert.equal((await look(slow)).barred, undefined);
    });

    it("over SQL are not asked for with a password that was refused, until the Secret has another one", async () => {
        secret = "another";
        await look(slow);
        await look(slow);
        assert.deepEqual(logins, ["basic-tidb-0"], "one failed login: TiDB may lock the account after some");
        secret = "Secret-1";
        assert.equal((await look(slow)).barred, undefined);
    });

    it("over SQL that one server does not answer for are not known there, and those of its status port are", async () => {
        cluster.faults.tidb["basic-tidb-1"] = { sqlUnresponsive: true };
        const { unasked, barred, live: says } = await look(level, slow);
        repeats(String(unasked?.["basic-tidb-1"][slow]), "basic-tidb-1", "4000", "5 s");
        assert.deepEqual([barred, unasked?.["basic-tidb-0"]], [undefined, undefined]);
        assert.deepEqual(says["basic-tidb-1"].known && says["basic-tidb-1"].value, { [level]: "info" });
    });

    it("of a server that does not answer are not known, and say why", async () => {
        cluster.stopPod("basic-tidb-1");
        const [, other1] = await live(level, slow);
        assert.match(String(other1), /^basic-tidb-1 /);
    });

    it("are not set once the lock is lost", async () => {
        may = false;
        await assert.rejects(set("basic-tidb-0", { [level]: "debug" }), /the lock is lost/);
        await assert.rejects(set("basic-tidb-0", { [slow]: 500 }), /the lock is lost/);
        assert.deepEqual(await live(level, slow), [
            { [level]: "info", [slow]: "300" },
            { [level]: "info", [slow]: "300" },
        ]);
    });
});
