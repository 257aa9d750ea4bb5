import * as assert from "node:assert/strict";
import { OnlineSettings } from "../../../provider/cluster/onlineSettings";
import { PdSettings } from "../../../provider/cluster/pdSettings";
import type { PodRequest } from "../../../provider/cluster/podCalls";
import { TikvSettings } from "../../../provider/cluster/tikvSettings";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import type { Settings } from "../../../provider/lifecycle/vocabulary/settings";
import { createPdClient, type PdClient } from "../../../provider/pd";
import { type PdSimulator, startPdSimulator } from "../../../sandbox/dataPlane";
import { podCallsOf } from "../../support/cluster/podCallsOf";
import { repeats } from "../../support/repeats";

const [pool, size] = ["raftstore.apply-pool-size", "storage.block-cache.capacity"];
const pods = [0, 1, 2].map((ordinal) => ({ name: `basic-tikv-${ordinal}`, uid: String(ordinal) })) as ObservedPod[];

describe("the settings of running servers", () => {
    let simulator: PdSimulator;
    let client: PdClient;
    let asked: string[];
    let data: Record<string, string> | undefined;
    let may: boolean;
    beforeEach(async () => {
        [asked, data, may] = [[], {}, true];
        simulator = await startPdSimulator();
        client = createPdClient({ endpoints: simulator.endpoints });
    });
    afterEach(async () => {
        client.close();
        await simulator.stop();
    });
    const settings = () => {
        const call = async ({ name }: { name: string }, { method = "GET", path, body, headers }: PodRequest) => {
            asked.push(`${method} ${name}`);
            const text = typeof body === "string" ? body : body && JSON.stringify(body);
            const answer = await fetch(simulator.urlOf(name) + path, { method, body: text, headers });
            return { status: answer.status, text: await answer.text() };
        };
        return new OnlineSettings(
            { readLiveMember: () => Promise.resolve({ templateRevision: "1", config: data }) },
            { namespace: "tidb", cluster: "basic" },
            {
                tikv: new TikvSettings(podCallsOf(call), () => 7),
                pd: new PdSettings({ ask: (ask) => ask(client) }, podCallsOf(call), () => 7),
            },
            () => 7,
        );
    };
    const look = (component: "tikv" | "pd", ...keys: string[]) =>
        settings().observe(
            { component, keys, files: [{ key: "config-file", path: "" }] },
            { component, pods: component === "tikv" ? pods : [], claims: [] },
            undefined,
        );
    const assertAllowed = () => assert.ok(may, "the lock is lost");
    const set = (
        component: "tikv" | "pd",
        server: string,
        values: Settings,
        uid: string | undefined = component === "tikv" ? "0" : undefined,
    ) => settings().set(component, [{ server, uid, settings: values }], assertAllowed);

    it("are set on one TiKV, and read back in its form, although it cannot write them into its file and answers 500", async () => {
        await set("tikv", "basic-tikv-1", { [pool]: 4, [size]: "8GB" });
        const { live } = await look("tikv", pool, size);
        assert.deepEqual(live["basic-tikv-1"], {
            known: true,
            value: { [pool]: 4, [size]: "8GiB" },
            from: "basic-tikv-1",
            at: 7,
        });
        assert.ok(live["basic-tikv-0"].known && live["basic-tikv-0"].value[pool] === 2);
    });

    it("of a TiKV that restarts are those of its file again", async () => {
        await set("tikv", "basic-tikv-1", { [pool]: 4 });
        simulator.stopPod("basic-tikv-1");
        await simulator.startPod("basic-tikv-1");
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        const { live } = await look("tikv", pool);
        assert.ok(live["basic-tikv-1"].known && live["basic-tikv-1"].value[pool] === 2, JSON.stringify(live));
    });

    for (const [what, values, why] of [
        [
            "an unknown key",
            { "raftstore.nothing": 1 },
            'answered 500: failed to update, error: "unexpect fields: nothing"',
        ],
        ["a wrong type", { [pool]: "many" }, "failed to update, error: ParseIntError"],
    ] as const) {
        it(`that a TiKV refuses because of ${what} fail with its answer and what it reports`, async () => {
            await assert.rejects(set("tikv", "basic-tikv-0", values), (error: Error) => {
                repeats(error.message, "basic-tikv-0", why, "reports raftstore.");
                return true;
            });
        });
    }

    it("of a TiKV that does not answer are not known, and say why", async () => {
        simulator.faults.stores["basic-tikv-2"] = { statusPort: "refused" };
        const { live } = await look("tikv", pool);
        assert.ok(!live["basic-tikv-2"].known && live["basic-tikv-2"].why.startsWith("basic-tikv-2 "));
    });

    it("are not set once the lock is lost", async () => {
        may = false;
        await assert.rejects(set("tikv", "basic-tikv-0", { [pool]: 4 }), /the lock is lost/);
        await assert.rejects(set("pd", "basic-pd", { "schedule.leader-schedule-limit": 8 }), /the lock is lost/);
        assert.deepEqual(asked, []);
        assert.equal(simulator.events.filter(({ kind }) => kind === "config-set").length, 0);
    });

    it("are set side by side, and a failure waits until every server has answered", async () => {
        simulator.faults.stores["basic-tikv-0"] = { refusesSettings: true };
        const sets = pods.map(({ name, uid }) => ({ server: name, uid, settings: { [pool]: 4 } }));
        await assert.rejects(settings().set("tikv", sets, assertAllowed), /^Error: basic-tikv-0 does not take over/);
        const { live } = await look("tikv", pool);
        assert.deepEqual(
            Object.values(live).map((fact) => fact.known && fact.value[pool]),
            [2, 4, 4],
        );
    });

    it("of PD are set once, each in the form in which PD reports it", async () => {
        const values = {
            "schedule.leader-schedule-limit": "8",
            "schedule.enable-one-way-merge": true,
            "schedule.max-store-down-time": "40m",
            "replication.location-labels": "zone,host",
            "pd-server.flow-round-by-digit": 5,
        };
        await set("pd", "basic-pd", values);
        const { live } = await look("pd", ...Object.keys(values));
        assert.deepEqual(live["basic-pd"].known && live["basic-pd"].value, {
            ...values,
            "schedule.leader-schedule-limit": 8,
            "schedule.enable-one-way-merge": "true",
            "schedule.max-store-down-time": "40m0s",
        });
    });

    it("of PD's members are their log levels: each is set by itself, and lost with its process", async () => {
        const level = "log.level";
        const members = [0, 1, 2].map((ordinal) => ({ name: `basic-pd-${ordinal}`, uid: String(ordinal) }));
        const levels = async () => {
            const look = { component: "pd", keys: [level], files: [] } as const;
            const { live } = await settings().observe(
                look,
                { component: "pd", pods: members as ObservedPod[], claims: [] },
                undefined,
            );
            return Object.entries(live).map(([name, fact]) => `${name} ${fact.known && fact.value[level]}`);
        };
        assert.deepEqual(await levels(), ["basic-pd-0 info", "basic-pd-1 info", "basic-pd-2 info"]);
        await set("pd", "basic-pd-1", { [level]: "debug" }, "1");
        assert.deepEqual(await levels(), ["basic-pd-0 info", "basic-pd-1 debug", "basic-pd-2 info"]);
        await assert.rejects(
            set("pd", "basic-pd-1", { [level]: "loud" }, "1"),
            /^Error: basic-pd-1 does not take over log\.level = loud: it answered 400: "log level loud is illegal", and reports log\.level = debug$/,
        );
        simulator.stopPod("basic-pd-1");
        await simulator.startPod("basic-pd-1");
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        assert.deepEqual(await levels(), ["basic-pd-0 info", "basic-pd-1 info", "basic-pd-2 info"]);
        may = false;
        await assert.rejects(set("pd", "basic-pd-1", { [level]: "debug" }, "1"), /the lock is lost/);
    });

    it("of a PD that reports its default level as nothing are info, which can be set again", async () => {
        const call = () => Promise.resolve({ status: 200, text: JSON.stringify({ log: { level: "" } }) });
        const { live } = await new PdSettings({ ask: (ask) => ask(client) }, podCallsOf(call), () => 7).read(
            "basic-pd",
            [{ name: "basic-pd-0", uid: "0" } as ObservedPod],
            ["log.level"],
        );
        assert.deepEqual(live["basic-pd-0"].known && live["basic-pd-0"].value, { "log.level": "info" });
    });

    it("that PD refuses fail with its reason", async () => {
        await assert.rejects(set("pd", "basic-pd", { "schedule.nothing": 1 }), /config item nothing not found/);
        await assert.rejects(
            set("pd", "basic-pd", { "schedule.leader-schedule-limit": "x" }),
            /cannot unmarshal string/,
        );
    });

    it("of the file are those of the live ConfigMap: a key that it does not have is missing", async () => {
        data = { "config-file": "[raftstore]\napply-pool-size = 3\n", "startup-script": "#!" };
        assert.deepEqual((await look("tikv", pool, size)).file, {
            known: true,
            value: { [pool]: 3 },
            from: "the API server",
            at: 7,
        });
        data = undefined;
        const { file } = await look("tikv", pool);
        assert.ok(!file.known && /the ConfigMap of StatefulSet basic-tikv is gone/.test(file.why));
        data = { "config-file": "[raftstore" };
        await assert.rejects(look("tikv", pool), /key config-file of the ConfigMap is not valid TOML/);
    });
});
