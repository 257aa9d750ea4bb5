import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import type { OperationsArgs } from "../../../components/operations";
import { clusterObjects } from "../../../components/render";
import { clusterInputs } from "../../../components/gateInputs/clusterGates";
import { rolloutInputs } from "../../../components/gateInputs/memberGates";
import { operationsProblems } from "../../../components/operationsRules";
import { prerequisiteInputs } from "../../../components/prerequisiteInputs";
import { type OpenManifest, smallCluster } from "./manifests";

const storage = { requests: { storage: "1Gi" } };
const rendered = (operations?: OperationsArgs, change: (manifest: OpenManifest) => void = () => undefined) => {
    const manifest = smallCluster((one: OpenManifest) => {
        one.spec.tiflash = { replicas: 2, storageClaims: [{ resources: storage }] };
        one.spec.ticdc = { replicas: 2 };
        one.spec.tiproxy = { replicas: 2 };
        change(one);
    });
    return checkManifest(manifest, [], operations);
};
const budgets = (operations?: OperationsArgs, change?: (manifest: OpenManifest) => void): KubernetesFields[] =>
    (clusterObjects(rendered(operations, change)) as KubernetesFields[]).filter(
        ({ kind }) => kind === "PodDisruptionBudget",
    );

describe("PodDisruptionBudgets", () => {
    it("are not rendered by default: Kubernetes evicts no pod that has two, and users may have their own", () => {
        assert.deepEqual(budgets(), []);
        assert.deepEqual(budgets({ disruptionBudgets: "off" }), []);
    });

    it("allow a drain no pod of a member of which gates ask something first, and one of the others", () => {
        const found = budgets({ disruptionBudgets: "gates" });
        assert.deepEqual(Object.fromEntries(found.map(({ metadata, spec }) => [metadata.name, spec.maxUnavailable])), {
            "shop-pd": 0,
            "shop-tiproxy": 1,
            "shop-tiflash": 0,
            "shop-tikv": 0,
            "shop-tidb": 1,
            "shop-ticdc": 0,
        });
    });

    it("select the pods of their member alone, by the labels that its StatefulSet selects them by", () => {
        const operations = { disruptionBudgets: "gates" } as const;
        const objects = clusterObjects(rendered(operations)) as KubernetesFields[];
        for (const { apiVersion, metadata, spec } of budgets(operations)) {
            const set = objects.find((one) => one.kind === "StatefulSet" && one.metadata.name === metadata.name);
            assert.equal(apiVersion, "policy/v1");
            assert.deepEqual(spec.selector, set?.spec.selector);
        }
    });

    it("change no other object: nothing restarts", () => {
        const others = (clusterObjects(rendered({ disruptionBudgets: "gates" })) as KubernetesFields[]).filter(
            ({ kind }) => kind !== "PodDisruptionBudget",
        );
        assert.deepEqual(others, clusterObjects(rendered()));
    });

    it("are not there for a suspended member, which has no pods", () => {
        const names = budgets({ disruptionBudgets: "gates" }, ({ spec }) => {
            spec.tidb.suspendAction = { suspendStatefulSet: true };
        }).map(({ metadata }) => metadata.name as string);
        assert.ok(!names.includes("shop-tidb") && names.includes("shop-tikv"));
    });

    it("take a permission of their own, which the preview checks", () => {
        assert.ok(
            prerequisiteInputs(rendered({ disruptionBudgets: "gates" }), {
                disruptionBudgets: "gates",
            }).traits.includes("budgets"),
        );
        assert.ok(!prerequisiteInputs(rendered(), undefined).traits.includes("budgets"));
    });
});

describe("the operations of nodes that are being emptied", () => {
    it("are words, and nothing else", () => {
        assert.deepEqual(operationsProblems({ drain: "move", disruptionBudgets: "gates" }), []);
        const problems = operationsProblems({ drain: true, disruptionBudgets: "one" });
        assert.deepEqual(
            problems.map(({ field }) => field),
            ["operations.drain", "operations.disruptionBudgets"],
        );
    });

    it("reach the gates and the controller, and by default change no input of earlier versions", () => {
        const off = { drain: "off" } as const;
        assert.equal(rolloutInputs(rendered(), "tikv", off).drain, "off");
        assert.equal("drain" in rolloutInputs(rendered(), "tikv", { drain: "move" }), false);
        assert.equal(clusterInputs(rendered(), off).unattended?.tikv?.drain, "off");
        assert.equal("drain" in (clusterInputs(rendered(), undefined).unattended?.tikv ?? {}), false);
    });
});
