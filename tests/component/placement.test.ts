import * as assert from "node:assert/strict";
import { TidbCluster } from "../../index";
import type { OperationsArgs } from "../../components/operations";
import { basicSpec } from "./programs";
import { patienceMilliseconds, runProgram } from "./mockProgram";

const revisionKey = "pulumi-tidb.io/template-revision";

describe("component: the constraints that spread pods over nodes", function () {
    this.timeout(patienceMilliseconds);
    const program =
        (operations?: OperationsArgs, tikv: object = {}) =>
        () => {
            const spec = basicSpec();
            Object.assign(spec.tikv as object, tikv);
            return new TidbCluster("basic", { spec, operations });
        };

    it("are in the pod templates of a new cluster, and in the revision that its rollouts wait for", async () => {
        const { find } = await runProgram(program());
        for (const [member, count] of [
            ["pd", 3],
            ["tikv", 3],
            ["tidb", undefined],
        ] as const) {
            const { metadata, spec } = find("StatefulSet", `basic-${member}`).inputs;
            assert.equal(spec.template.spec.topologySpreadConstraints?.length, count, member);
            assert.equal(
                find("RolloutGate", `basic-${member}-rollout`).inputs.templateRevision,
                metadata.annotations[revisionKey],
            );
        }
    });

    for (const preview of [true, false]) {
        it(`are not in those of a cluster that an earlier version deployed, ${preview ? "in the preview" : "in the update"}: nothing restarts`, async () => {
            // Pulumi hands on the outputs of an unchanged gate from the state. That of an earlier version has no constraints.
            const { find } = await runProgram(program(), {
                preview,
                state: (type, inputs) =>
                    type.endsWith(":ScaleGate")
                        ? { ...inputs, replicas: inputs.desiredReplicas, plan: [], deferred: "" }
                        : undefined,
            });
            const off = await runProgram(program({ placement: "off" }), { preview });
            for (const member of ["pd", "tikv"]) {
                assert.deepEqual(
                    find("StatefulSet", `basic-${member}`).inputs,
                    off.find("StatefulSet", `basic-${member}`).inputs,
                );
                assert.ok(!find("RolloutGate", `basic-${member}-rollout`).inputs.templateRevision.includes("+"));
            }
        });
    }

    it("can be left out, and then the gates' inputs are those of earlier versions", async () => {
        const { find } = await runProgram(program({ placement: "off" }));
        const { inputs } = find("ScaleGate", "basic-pd-scale");
        assert.equal(inputs.wantedSpread, undefined);
        assert.equal(find("StatefulSet", "basic-pd").inputs.spec.template.spec.topologySpreadConstraints, undefined);
    });

    it("give way to those of the spec", async () => {
        const { find } = await runProgram(program({}, { topologySpreadConstraints: [{ topologyKey: "rack" }] }));
        const { topologySpreadConstraints } = find("StatefulSet", "basic-tikv").inputs.spec.template.spec;
        assert.deepEqual(
            topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey),
            ["rack"],
        );
    });
});
