import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { type GateProgramInputs, unknownValue } from "../../../provider/gates/inputs";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords, type Observation, unknownPd } from "../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../topology/members";
import { type Deviation, evicting, observed } from "../../support/lifecycle/observations";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { ofCluster } from "../../support/gates/worldOf";
import { repeats } from "../../support/repeats";
import { refusedAt } from "../../support/gates/refusedAt";
import { stepsIn } from "../../support/gates/stepsIn";
import type { Notice } from "../../../provider/lifecycle/vocabulary/notices";

interface World extends GateWorld {
    looks: number;
    pdLooks: number;
    warnings: Notice[];
}

/** A cluster that looks like this, or why it cannot be looked at. */
function worldOf(
    component: Component,
    row: Deviation | Error,
    lease: { uid: string } | undefined = { uid: "lease-1" },
): World {
    const world: World = {
        looks: 0,
        pdLooks: 0,
        warnings: [],
        plans: new Map(),
        progress: () => (ports as GatePorts).progress,
        tryAccess: () => Promise.resolve(),
        open: () => Promise.resolve(ports as GatePorts),
    };
    const ports: Partial<GatePorts> = {
        now: Date.now,
        journal: noJournal,
        lease: () =>
            row instanceof Error
                ? Promise.reject(row)
                : Promise.resolve(lease && { ...lease, resourceVersion: "1", lock: {}, records: noRecords() }),
        look: (options) => {
            world.looks += 1;
            world.pdLooks += options.pd.length > 0 ? 1 : 0;
            const seen = observed(component, row as Deviation).observation;
            const withoutPd: Observation = { ...seen, pd: unknownPd() };
            return Promise.resolve(options.pd.length > 0 ? seen : withoutPd);
        },
        progress: {
            info: () => {},
            warn: (notice) => world.warnings.push(notice),
            status: () => {},
            note: () => {},
        },
    };
    return world;
}

function told(component: Component, more: Partial<GateProgramInputs> = {}): Record<string, unknown> {
    const { target } = observed(component, {});
    return {
        ...ofCluster,
        component,
        desiredReplicas: target.replicas,
        templateRevision: "new-template",
        policy: target.policy,
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
        gate: "rollout",
        statusUrn: "urn",
        ...more,
    };
}

const rollout = (world: GateWorld) => createGate(rolloutGateDefinition, world);
const scale = (world: GateWorld) => createGate(scaleGateDefinition, world);
/** What Pulumi's state has after an update that asked for the same. */
const outsOf = (inputs: Record<string, unknown>): Record<string, unknown> => ({
    ...inputs,
    replicas: inputs.desiredReplicas,
    plan: [],
    deferred: "",
});

describe("check", () => {
    for (const [name, unknown] of [
        ["the Lease's UID", { leaseUid: unknownValue }],
        ["the template", { templateRevision: unknownValue }],
        ["a part of the access", { access: { kubeconfig: unknownValue } }],
    ] as const) {
        it(`defers while ${name} is unknown, and observes nothing`, async () => {
            const world = worldOf("tikv", { stale: [3] });
            const { inputs, failures } = await rollout(world).check({}, told("tikv", unknown));
            assert.notEqual(inputs.deferred, "");
            assert.deepEqual([inputs.plan, failures, world.looks, inputs.replicas], [[], undefined, 0, 4]);
        });
    }

    it("keeps an unknown number of replicas unknown", async () => {
        const unknown = { desiredReplicas: unknownValue as unknown as number };
        const { inputs } = await scale(worldOf("tikv", {})).check({}, told("tikv", unknown));
        assert.equal(inputs.replicas, unknownValue);
        assert.equal(inputs.deferred, "deferred: desiredReplicas is known only during the update");
    });

    it("writes the steps and the replicas into the inputs", async () => {
        const { inputs } = await rollout(worldOf("tikv", { stale: [3] })).check({}, told("tikv"));
        const plan = inputs.plan as string[];
        assert.equal(plan.length, 1);
        repeats(plan[0], "basic-tikv-3", "500 leaders");
        assert.deepEqual([inputs.replicas, inputs.deferred], [4, ""]);
    });

    it("says before the steps when the keys of a changed configuration take effect, and warns of keys without effect", async () => {
        const world = worldOf("tikv", { stale: [3] });
        const before = told("tikv", { templateRevision: "before", config: { "storage.engine": "1", "a.b": "1" } });
        const now = told("tikv", { config: { "storage.engine": "2", "a.b": "2" } });
        const { inputs } = await rollout(world).check(outsOf(before), now);
        const [engine, other, step] = inputs.plan as string[];
        repeats(engine, "storage.engine");
        repeats(other, "a.b");
        repeats(step, "basic-tikv-3");
        assert.deepEqual(world.warnings, [{ code: "config-without-effect", message: engine }]);
    });

    it("says it with InPlace too, where there is no step, and says nothing once it is done", async () => {
        const before = outsOf(told("tikv", { config: { "log.level": "1" } }));
        const now = told("tikv", { config: { "log.level": "2" } });
        const gate = rollout(worldOf("tikv", {}));
        const { inputs } = await gate.check(before, now);
        assert.deepEqual(inputs.plan, [
            "config of tikv: log.level: is read when a pod next starts (InPlace restarts none), or immediately by SET CONFIG tikv",
        ]);
        assert.deepEqual(await gate.diff("", before, inputs), { changes: true });
        const after = await gate.check(inputs, now);
        assert.deepEqual(after.inputs.plan, []);
        assert.deepEqual(await gate.diff("", inputs, after.inputs), { changes: false });
    });

    it("says nothing about a configuration that is new or that an older version did not note", async () => {
        const now = told("tikv", { config: { "storage.engine": "1" } });
        for (const olds of [{}, outsOf(told("tikv"))]) {
            const world = worldOf("tikv", {});
            const { inputs } = await rollout(world).check(olds, now);
            assert.deepEqual([inputs.plan, world.warnings], [[], []]);
        }
    });

    it("neither plans nor acts on what another cluster's PD says", async () => {
        const world = worldOf("tikv", { stale: [3] });
        const { open } = world;
        world.open = async (...how) => {
            const ports = await open(...how);
            const look: GatePorts["look"] = async (options) => {
                const seen = await ports.look(options);
                return { ...seen, pd: { ...seen.pd, clusterId: known("8", "PD", seen.now) }, pdClusterId: "7" };
            };
            return { ...ports, look };
        };
        const another = /^GateError: same-pd: basic-pd: PD has the cluster id 8/;
        await assert.rejects(rollout(world).check({}, told("tikv")), (error) => another.test(String(error)));
        await assert.rejects(rollout(world).update("", outsOf(told("tikv")), outsOf(told("tikv"))), (error) =>
            another.test(String(error)),
        );
    });

    it("asks only Kubernetes if there is nothing to do", async () => {
        for (const gate of [rollout, scale]) {
            const world = worldOf("tikv", {});
            const { inputs } = await gate(world).check(outsOf(told("tikv")), told("tikv"));
            assert.deepEqual([inputs.plan, world.looks, world.pdLooks], [[], 1, 0]);
        }
    });

    it("warns if nothing changed and PD is silent about something that is not urgent", async () => {
        const world = worldOf("tikv", { pods: { 3: { ready: false } }, pdSilent: true });
        const { inputs } = await rollout(world).check(outsOf(told("tikv")), told("tikv"));
        assert.deepEqual([inputs.plan, world.warnings.length], [[], 1]);
    });

    it("has the rest of a rollout as steps even if nothing changed and PD is silent", async () => {
        const gate = rollout(worldOf("tikv", { stale: [3], pdSilent: true }));
        const { inputs } = await gate.check(outsOf(told("tikv")), told("tikv"));
        assert.deepEqual(inputs.plan, ["restart basic-tikv-3 (old revision old): once PD answers"]);
        assert.equal(inputs.deferred, "deferred: PD answers 500");
        assert.deepEqual(await gate.diff("", outsOf(told("tikv")), inputs), { changes: true });
    });

    it("never lets a StatefulSet shrink unseen, even if nothing changed and PD is silent", async () => {
        const gate = scale(worldOf("tikv", { live: 5, pdSilent: true }));
        const { inputs } = await gate.check(outsOf(told("tikv")), told("tikv"));
        assert.deepEqual(inputs.plan, ["remove basic-tikv-4 (5 to 4 replicas): once PD answers"]);
    });

    it("has a step while the controller has not seen the newest template", async () => {
        const { plan } = await rollout(worldOf("tikv", { settled: false })).planOf(outsOf(told("tikv")), told("tikv"));
        assert.deepEqual(stepsIn(plan), ["wait basic-tikv"]);
    });

    it("refuses fewer stores than max-replicas, and names the field", async () => {
        const { refused } = await scale(worldOf("tikv", { live: 4 })).planOf({}, told("tikv", { desiredReplicas: 2 }));
        assert.deepEqual(refusedAt(refused), ["spec.tikv.replicas"]);
    });

    it("refuses a change that Kubernetes cannot make, and names the field", async () => {
        const fixed = { podManagementPolicy: "OrderedReady", serviceName: "", claims: [] };
        for (const [component, field] of [
            ["tikv", "spec.tikv.podManagementPolicy"],
            ["tso", "spec.pdms[name: tso].podManagementPolicy"],
        ] as const) {
            const { refused, inputs } = await scale(worldOf(component, {})).planOf({}, told(component, { fixed }));
            assert.deepEqual(refusedAt(refused), [field]);
            repeats(refused?.[0].reason, "found OrderedReady, expected Parallel");
            assert.deepEqual(inputs.plan, []);
        }
    });

    it("does not take an unexpected error for an unreachable cluster", async () => {
        const gate = rollout(worldOf("tikv", new TypeError("a defect")));
        await assert.rejects(gate.check(outsOf(told("tikv")), told("tikv")), /a defect/);
    });

    it("shows the eviction that an earlier run left behind as a step", async () => {
        const { inputs } = await rollout(worldOf("tikv", { records: evicting(3) })).check(
            outsOf(told("tikv")),
            told("tikv"),
        );
        repeats(inputs.plan, "basic-tikv-3", "store 13");
    });
});

describe("check of a paused cluster", () => {
    const paused = { paused: true } as const;

    it("finds no step, and says what is withheld", async () => {
        const world = worldOf("tikv", { stale: [3] });
        const { inputs, failures } = await rollout(world).check(outsOf(told("tikv")), told("tikv", paused));
        assert.deepEqual([inputs.plan, inputs.deferred, failures], [[], "paused: spec.paused", undefined]);
        assert.equal(world.warnings.length, 1);
        repeats(world.warnings[0], "spec.paused", "basic-tikv-3");
        assert.deepEqual(await rollout(world).diff("", outsOf(told("tikv")), inputs), { changes: false });
    });

    it("withholds a refusal too", async () => {
        const world = worldOf("tikv", { live: 4, replicas: 2 });
        const { inputs, failures } = await scale(world).check(
            outsOf(told("tikv", { desiredReplicas: 4 })),
            told("tikv", { ...paused, desiredReplicas: 2 }),
        );
        assert.deepEqual([inputs.plan, failures], [[], undefined]);
        repeats(world.warnings, "spec.tikv.replicas: ");
    });

    it("keeps the gate's earlier inputs, so that the first run after the pause sees the change", async () => {
        const gate = rollout(worldOf("tikv", {}));
        const before = outsOf(told("tikv", { config: { "log.level": "1" } }));
        const changed = { config: { "log.level": "2" }, templateRevision: "other" };
        const { inputs } = await gate.check(before, told("tikv", { ...changed, ...paused, leaseUid: "lease-1" }));
        assert.deepEqual([inputs.config, inputs.templateRevision], [before.config, before.templateRevision]);
        const after = await gate.check(inputs, told("tikv", { config: { "log.level": "2" } }));
        repeats(after.inputs.plan, "log.level");
        assert.equal("paused" in after.inputs, false);
    });

    it("finds nothing to update, while paused and afterwards", async () => {
        const gate = rollout(worldOf("tikv", {}));
        const { inputs } = await gate.check(outsOf(told("tikv")), told("tikv", paused));
        const after = await gate.check(inputs, told("tikv"));
        assert.deepEqual(await gate.diff("", inputs, after.inputs), { changes: false });
    });
});

describe("diff", () => {
    const olds = outsOf(told("tikv"));
    const { diff } = rollout(worldOf("tikv", {}));
    for (const [name, news, changes] of [
        ["nothing", {}, false],
        ["the plan has a step", { plan: ["restart basic-tikv-3"] }, true],
        ["the replicas", { replicas: 5, desiredReplicas: 5 }, true],
        ["the template", { templateRevision: "newer" }, true],
        ["the policy, which only steps have a use for", { policy: { evictLeaderTimeoutSeconds: 1 } }, false],
        ["the policy that the Lease has for the controller", { unattended: { tikv: {} } }, true],
        ["the words of a plan that is empty now", { plan: [] }, false],
        ["why there is no plan", { deferred: "deferred: PD answers 500" }, false],
        ["the access to the cluster", { access: { context: "other" } }, false],
        ["the provider's own text", { __provider: "other" }, false],
        ["the image's tag, which only the words of a plan have", { tag: "v8.5.4" }, false],
        ["the URN that messages go to", { statusUrn: "other" }, false],
    ] as const) {
        it(`${changes ? "reports" : "does not report"} a change for ${name}`, async () => {
            const before = { ...olds, plan: ["restart basic-tikv-3"], __provider: "one" };
            assert.deepEqual(await diff("", before, { ...olds, __provider: "one", ...news }), { changes });
        });
    }
});
