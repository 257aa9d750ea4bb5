import * as assert from "node:assert/strict";
import { TidbCluster } from "../../components/tidbCluster";
import type { OperationsArgs } from "../../components/operations";
import { patienceMilliseconds, type ProgramRun, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const run = (operations: OperationsArgs, spec: object = {}): Promise<ProgramRun<TidbCluster>> =>
    runProgram(() => new TidbCluster("basic", { spec: { ...basicSpec(), ...spec }, operations }));
const gatesOf = ({ resources }: ProgramRun<TidbCluster>) => resources.filter(({ type }) => /RecoveryGate$/.test(type));
const unsafeRecovery = { failedStores: [5, 4], neverComeBack: true as const };

describe("component: an unsafe recovery", function () {
    this.timeout(patienceMilliseconds);

    it("is a gate after the cluster's gate and before every member, with PD's default timeout", async () => {
        const made = await run({ unsafeRecovery });
        const [gate, ...more] = gatesOf(made);
        assert.deepEqual(more, []);
        assert.equal(gate.name, "basic-recovery");
        assert.ok(gate.dependencies.includes("pulumi-nodejs:tidb:ClusterGate::basic-cluster"));
        const { failedStores, neverComeBack, timeoutSeconds } = gate.inputs;
        assert.deepEqual([failedStores, neverComeBack, timeoutSeconds], [[5, 4], true, 600]);
        assert.ok(!("approval" in gate.inputs), "the gate asks for consent without being told to");
        const pd = made.find("ScaleGate", "basic-pd-scale").dependencies;
        assert.ok(pd.includes("pulumi-nodejs:tidb:RecoveryGate::basic-recovery"));
        assert.ok(made.value.recoveryGate);
    });

    it("takes what the program says", async () => {
        const timeouts = { podReadySeconds: 7 };
        const given = { ...unsafeRecovery, timeoutSeconds: 60 };
        const [gate] = gatesOf(await run({ unsafeRecovery: given, timeouts, approval: "step" }, { paused: true }));
        const { neverComeBack, timeoutSeconds, approval, paused, policy } = gate.inputs;
        assert.deepEqual([neverComeBack, timeoutSeconds, approval, paused], [true, 60, "step", true]);
        assert.equal((policy as { podReadyTimeoutSeconds: number }).podReadyTimeoutSeconds, 7);
    });

    it("is not there unless the program asks for it", async () => {
        const made = await run({});
        assert.deepEqual([gatesOf(made), made.value.recoveryGate], [[], undefined]);
    });
});
