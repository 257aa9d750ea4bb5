import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import { TidbCluster } from "../../components/tidbCluster";
import { patienceMilliseconds, type ProgramRun, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const run = (tidb: object, change: object = {}): Promise<ProgramRun<TidbCluster>> =>
    runProgram(
        () =>
            new TidbCluster("basic", {
                spec: { ...basicSpec(), ...change, tidb: { replicas: 2, config: {}, ...tidb } },
            }),
    );
const initializer = { createPassword: true };
const gatesOf = ({ resources }: ProgramRun<TidbCluster>) => resources.filter(({ type }) => /PasswordGate$/.test(type));

describe("component: a password for root", function () {
    this.timeout(patienceMilliseconds);

    it("is set by a gate after TiDB's rollout, before the cluster is ready, without a Secret in the state", async () => {
        const made = await run({ initializer });
        const [gate, ...more] = gatesOf(made);
        assert.deepEqual(more, []);
        assert.deepEqual([gate.name, gate.parent], ["basic-tidb-password", "tidb:index:Tidb::basic-tidb"]);
        assert.equal(gate.type, "pulumi-nodejs:tidb:PasswordGate");
        assert.ok(gate.dependencies.includes("pulumi-nodejs:tidb:RolloutGate::basic-tidb-rollout"));
        const ready = made.find("ReadyGate", "basic-ready").dependencies;
        assert.ok(ready.includes("pulumi-nodejs:tidb:PasswordGate::basic-tidb-password"));
        assert.ok(ready.includes("pulumi-nodejs:tidb:RolloutGate::basic-tidb-rollout"));
        assert.equal(gate.inputs.hasServers, true);
        assert.ok(!("paused" in gate.inputs));
        assert.ok(made.value.passwordGate);
        assert.deepEqual(
            made.resources.filter(({ type }) => type.endsWith(":Secret")),
            [],
        );
        assert.deepEqual(made.warnings, []);
    });

    it("is reported if the cluster is paused and if there is no TiDB server", async () => {
        const [paused] = gatesOf(await run({ initializer }, { paused: true }));
        assert.equal(paused.inputs.paused, true);
        const [without] = gatesOf(await run({ initializer, replicas: 0 }));
        assert.equal(without.inputs.hasServers, false);
    });

    for (const [why, tidb] of [
        ["unless it is requested", {}],
        ["if it is false", { initializer: { createPassword: false } }],
        ["while TiDB is suspended", { initializer, suspendAction: { suspendStatefulSet: true } }],
    ] as const) {
        it(`is not set ${why}`, async () => {
            const made = await run(tidb);
            assert.deepEqual([gatesOf(made), made.value.passwordGate], [[], undefined]);
        });
    }

    it("must be a plain value, because it decides which resources exist", async () => {
        await assert.rejects(run({ initializer: { createPassword: pulumi.output(true) } }), (error: Error) =>
            error.message.startsWith("spec.tidb.initializer.createPassword: found an Output"),
        );
    });
});
