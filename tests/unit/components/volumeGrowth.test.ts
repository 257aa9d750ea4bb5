import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { clusterInputs } from "../../../components/gateInputs/clusterGates";
import { rolloutInputs, scaleInputs } from "../../../components/gateInputs/memberGates";
import type { OperationsArgs } from "../../../components/operations";
import type { Component } from "../../../topology/members";
import { type OpenManifest, smallCluster } from "./manifests";

const rendered = checkManifest(
    smallCluster((one: OpenManifest) => {
        one.spec.tiflash = { replicas: 2, storageClaims: [{ resources: { requests: { storage: "1Gi" } } }] };
    }),
);
const ofGate = (component: Component, operations?: OperationsArgs) =>
    scaleInputs(rendered, component, operations).growth;
const ofController = (component: Component, operations?: OperationsArgs) =>
    clusterInputs(rendered, operations).unattended?.[component]?.growth;

describe("operations.volumes", () => {
    const all = { volumes: { growAt: "90%", by: "50%", max: "2Ti" } } as const;

    it("reaches the gates and the controller for members whose disks' use PD tells, and no other one", () => {
        for (const component of ["tikv", "tiflash"] as const) {
            assert.deepEqual(ofGate(component, all), { growAt: 90, by: 50, max: "2Ti" });
            assert.deepEqual(ofController(component, all), { growAt: 90, by: 50, max: "2Ti" });
        }
        for (const component of ["pd", "tidb"] as const) {
            assert.deepEqual([ofGate(component, all), ofController(component, all)], [undefined, undefined]);
        }
        assert.equal("growth" in rolloutInputs(rendered, "tikv", all), false);
    });

    it("grows from 80% on by 20% where nothing else is said", () => {
        assert.deepEqual(ofGate("tikv", { volumes: { max: "2Ti" } }), { growAt: 80, by: 20, max: "2Ti" });
    });

    it("leaves what a person consents to, to pulumi up", () => {
        assert.equal(ofController("tikv", { ...all, approval: "step" }), undefined);
    });

    it("changes no input of earlier versions by default", () => {
        assert.equal("growth" in scaleInputs(rendered, "tikv", undefined), false);
        assert.equal("growth" in (clusterInputs(rendered, undefined).unattended?.tikv ?? {}), false);
    });
});
