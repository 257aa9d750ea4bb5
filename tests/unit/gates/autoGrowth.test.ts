import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createGate } from "../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import type { GrowthPolicy } from "../../../provider/lifecycle/vocabulary/volumeGrowth";
import { failsWith } from "../../support/failsWith";
import { codesOf, repeats } from "../../support/repeats";
import { now } from "../../support/lifecycle/observations";
import { told as clusterTold } from "./clusterWorld";
import { fillingWorld, type FillingWorld, growth, templatesOf } from "./fillingWorld";

const told = (policy: GrowthPolicy | null = growth, more: { storage?: string; desiredReplicas?: number } = {}) =>
    clusterTold({
        gate: "scale",
        component: "tikv",
        desiredReplicas: more.desiredReplicas ?? 3,
        policy: defaultPolicy,
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: templatesOf(more.storage ?? "100Gi") },
        ...(policy ? { growth: policy } : {}),
    });
const scale = (seen: FillingWorld) => createGate(scaleGateDefinition, seen);
const grown = ({ done }: FillingWorld) => done.filter((one) => ["grow-claims", "remake-stateful-set"].includes(one));

describe("operations.volumes in pulumi up", () => {
    it("shows each volume that grows, and why; the StatefulSet keeps the program's size", async () => {
        const seen = fillingWorld({ used: [83, 40, 95] });
        const news = told();
        const { inputs, failures } = await scale(seen).check({}, news);
        const until = "until its file system has the size, which some drivers enlarge only when the pod starts";
        assert.deepEqual(inputs.plan, [
            `grow the volumes of basic-tikv-0 (100Gi to 120Gi: used 83% of 100.0 GiB, growAt 80%): request tikv-basic-tikv-0 from 100Gi to 120Gi; ${until} (~60 s)`,
            `grow the volumes of basic-tikv-2 (100Gi to 120Gi: used 95% of 100.0 GiB, growAt 80%): request tikv-basic-tikv-2 from 100Gi to 120Gi; ${until} (~60 s)`,
        ]);
        assert.equal(failures, undefined);
        await scale(seen).update("", {}, inputs);
        assert.deepEqual(grown(seen), ["grow-claims", "grow-claims"]);
        assert.deepEqual(seen.sizes, ["120Gi", "100Gi", "120Gi"]);
    });

    it("has nothing to do while the disks are not full, and asks no more than PD's stores", async () => {
        const seen = fillingWorld({ used: [79, 40, 40] });
        const { inputs } = await scale(seen).check({}, told());
        assert.deepEqual(inputs.plan, []);
        assert.deepEqual(new Set(seen.looks.flatMap(({ pd }) => pd)), new Set(["stores", "health", "cluster-id"]));
    });

    it("asks PD nothing unless the program has it", async () => {
        const seen = fillingWorld({ used: [95, 95, 95] });
        const { inputs } = await scale(seen).check({}, told(null));
        assert.deepEqual([inputs.plan, seen.looks.flatMap(({ pd }) => pd)], [[], []]);
    });

    it("asks PD nothing of a member that is not deployed yet", async () => {
        const seen = fillingWorld({ used: [40, 40, 40] });
        delete seen.live.tikv;
        await scale(seen).check({}, told());
        assert.ok(seen.looks.every(({ pd }) => !pd.includes("stores")));
    });

    it("keeps no growth back that the program asks for while PD does not answer", async () => {
        const seen = fillingWorld({ used: [95, 95, 95], pdSilent: true });
        const news = told(growth, { storage: "110Gi" });
        const { inputs } = await scale(seen).check({}, news);
        assert.equal(inputs.deferred, "");
        await scale(seen).update("", {}, inputs);
        assert.deepEqual(seen.sizes, ["110Gi", "110Gi", "110Gi"]);
    });

    it("grows those of full disks further than the program says, in the same update", async () => {
        const seen = fillingWorld({ used: [95, 40, 40] });
        const { inputs } = await scale(seen).check({}, told(growth, { storage: "110Gi" }));
        assert.deepEqual(
            (inputs.plan as string[]).map((line) => line.split(")")[0]),
            [
                "grow the volumes of basic-tikv-0 (100Gi to 120Gi: used 95% of 100.0 GiB, growAt 80%",
                "grow the volumes of basic-tikv-1 (100Gi to 110Gi",
                "grow the volumes of basic-tikv-2 (100Gi to 110Gi",
                "recreate StatefulSet basic-tikv (new pods get 110Gi for tikv",
            ],
        );
        await scale(seen).update("", {}, inputs);
        assert.deepEqual(seen.sizes, ["120Gi", "110Gi", "110Gi"]);
    });

    it("warns where a volume does not grow, and goes on with the update", async () => {
        const rows: [Parameters<typeof fillingWorld>[0], GrowthPolicy, string, string][] = [
            [{ used: [95, 40, 40] }, { ...growth, max: "100Gi" }, "volume-at-max", "tikv-basic-tikv-0"],
            [{ used: [40, 95, 40], expands: false }, growth, "volume-not-grown", "StorageClass fast"],
        ];
        for (const [world, policy, code, words] of rows) {
            const seen = fillingWorld(world);
            const { inputs, refused, warnings } = await scale(seen).planOf({}, told(policy));
            assert.deepEqual([inputs.plan, refused, codesOf(warnings)], [[], undefined, [code]]);
            repeats(warnings, words);
        }
    });

    it("goes on with the update if the API server refuses the size, and fails where the program asks for it", async () => {
        const refusing = () => {
            const seen = fillingWorld({ used: [83, 40, 95] });
            const { changes } = seen;
            seen.changes = (action) => {
                if (action.do === "grow-claims" && action.pod === "basic-tikv-0") {
                    throw new KubernetesApiError("403 exceeded quota", 403);
                }
                changes(action);
            };
            return seen;
        };
        const seen = refusing();
        const { inputs } = await scale(seen).check({}, told());
        await scale(seen).update("", {}, inputs);
        assert.deepEqual(seen.sizes, ["100Gi", "100Gi", "120Gi"]);
        assert.deepEqual(codesOf(seen.warnings), ["volume-not-grown"]);
        assert.ok(seen.time - now < 60_000, "nothing waits for it");
        repeats(seen.warnings, "tikv-basic-tikv-0", "403 exceeded quota");

        const asked = refusing();
        const { inputs: larger } = await scale(asked).check({}, told(growth, { storage: "110Gi" }));
        await failsWith(scale(asked).update("", {}, larger), "action-failed", { target: "basic-tikv-0" });
    });

    it("says of a volume that has grown that the program need not follow", async () => {
        const seen = fillingWorld({ used: [83, 40, 40] });
        const { inputs } = await scale(seen).check({}, told());
        await scale(seen).update("", {}, inputs);
        const { remarks } = await scale(seen).planOf({}, told());
        assert.deepEqual(codesOf(remarks), ["volumes-larger"]);
        repeats(remarks, "grown by pulumi-tidb (operations.volumes) from 100Gi on ");
    });
});
