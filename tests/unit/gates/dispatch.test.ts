import * as assert from "node:assert/strict";
import * as gates from "../../../provider/gates/gates";
import { deployed, told } from "./clusterWorld";
import { repeats } from "../../support/repeats";

/** A step that is there already, so that no gate looks at a cluster to tell whether it runs. */
const withStep = { plan: ["restart basic-tikv-3"] };
const kinds = [
    "cluster",
    "recovery",
    "lost-nodes",
    "before-upgrade",
    "scale",
    "rollout",
    "suspend",
    "password",
    "ready",
];

describe("the provider of all gates", () => {
    for (const gate of kinds) {
        it(`finds the gate ${gate} by its input "gate"`, async () => {
            const olds = deployed({ gate });
            assert.deepEqual(await gates.diff("", olds, { ...olds, ...withStep }), {});
            assert.deepEqual(await gates.diff("", olds, { ...olds, access: { context: "other" } }), { changes: false });
        });
    }

    const unknown =
        /^Error: unknown gate "drain": expected one of cluster, recovery, lost-nodes, before-upgrade, settings, scale, rollout, suspend, password, ready, job, record, restore, logBackup, schedule\. A version of pulumi-tidb other than the installed one wrote this stack's state$/;
    for (const [method, call] of [
        ["plan for", () => gates.planOf({}, told({ gate: "drain" }))],
        ["check", () => gates.check({}, told({ gate: "drain" }))],
        ["diff", () => gates.diff("", {}, told({ gate: "drain" }))],
        ["create", () => gates.create(told({ gate: "drain" }))],
        ["update", () => gates.update("", {}, told({ gate: "drain" }))],
        ["delete", () => gates.delete_("", told({ gate: "drain" }))],
    ] as const) {
        it(`refuses to ${method} a gate of a newer version, because it does not know its steps`, async () => {
            await assert.rejects(
                async () => call(),
                (error) => unknown.test(String(error)),
            );
        });
    }

    it("reports an access that leads nowhere, whichever method is called", async () => {
        const access = { kubeconfig: "/nowhere/at/all" };
        const scale = told({ gate: "rollout", component: "tikv", desiredReplicas: 4, access });
        const { failures } = await gates.check({}, scale);
        // With a property, Pulumi would show the gate's input, which is a map, instead of the field of the program.
        assert.equal(failures?.[0].property, "");
        repeats(failures?.[0].reason, "/nowhere/at/all", "`kubeconfig`");
        const nowhere = { message: /nowhere/ };
        await assert.rejects(gates.update("", {}, scale), nowhere);
        await assert.rejects(gates.create(scale), nowhere);
        await assert.rejects(gates.delete_("", { ...scale, gate: "ready" }), nowhere);
    });
});
