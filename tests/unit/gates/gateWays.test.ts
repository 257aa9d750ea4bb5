import * as assert from "node:assert/strict";
import { ClusterAccessError } from "../../../provider/cluster/access";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { ReportedUnreachable } from "../../../provider/gates/unreachable";
import { createGate } from "../../../provider/gates/gate";
import { type GateProgramInputs, unknownValue } from "../../../provider/gates/inputs";
import { changePorts, clusterWorld, type ClusterWorld, leaseOf, told as clusterTold } from "./clusterWorld";
import { type GateDefinition, Unreadable } from "../../../provider/gates/gateDefinition";
import type { PlanItem } from "../../../provider/lifecycle/walks/describePlan";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { mockTimers, passSeconds, withoutTime } from "../../support/gates/slowAnswers";
import { codesOf, repeats } from "../../support/repeats";

const told = (more: object = {}) => clusterTold({ gate: "rollout", component: "tikv", desiredReplicas: 4, ...more });
const tasks = (...lines: string[]) => lines.map((words): PlanItem => ({ is: "task", words }));
const outsOf = (inputs: Record<string, unknown>) => ({ ...inputs, replicas: 4, plan: [], deferred: "" });
const definition = (more: Partial<GateDefinition<GateProgramInputs>> = {}): GateDefinition<GateProgramInputs> => ({
    replicasOf: ({ desiredReplicas }) => desiredReplicas,
    plan: () => Promise.resolve({ plan: tasks("restart basic-tikv-3") }),
    effect: () => Promise.resolve(),
    ...more,
});
const gate = (world: GateWorld, more?: Partial<GateDefinition<GateProgramInputs>>) =>
    createGate(definition(more), world);
const firstDeployment = "deferred: this is the first deployment: there is no cluster to ask yet";

describe("a gate's access to its cluster", () => {
    it("is opened for a check in a preview and for an effect in an update; only a check may skip a question", async () => {
        const world = clusterWorld();
        const uses: string[] = [];
        const { open } = world;
        world.open = (inputs, use) => {
            uses.push(use);
            return open(inputs, use);
        };
        await gate(world).check({}, told());
        await gate(world).create(outsOf(told()));
        await gate(world).update("", {}, outsOf(told()));
        assert.deepEqual(uses, ["check", "effect", "effect"]);
    });

    it("is not called that of a first deployment while the API server does not answer: nobody knows that it is one", async () => {
        const silence = () => new Error("the API server does not answer: see the warning of basic-cluster");
        const world = clusterWorld();
        const deferred = async (more: object) =>
            (await gate(world).check({}, told({ leaseUid: unknownValue, ...more }))).inputs.deferred;
        assert.equal(await deferred({}), firstDeployment);
        changePorts(world, () => ({ silence }));
        assert.equal(await deferred({}), `deferred: ${silence().message}`);
    });

    it("is told to the effect, which may wait for less in a first deployment", async () => {
        const firsts: boolean[] = [];
        const effect = (_inputs: unknown, _ports: unknown, first: boolean) => Promise.resolve(void firsts.push(first));
        const { create, update } = gate(clusterWorld(), { effect });
        assert.deepEqual(await create(outsOf(told())), { id: "tidb/basic", outs: outsOf(told()) });
        assert.deepEqual(await update("", {}, outsOf(told())), { outs: outsOf(told()) });
        assert.deepEqual(firsts, [true, false]);
    });

    it("is refused if `access` leads nowhere, without a plan and with the number of replicas", async () => {
        const world = clusterWorld({ tryAccess: () => Promise.reject(new ClusterAccessError("no kubeconfig")) });
        assert.deepEqual(await gate(world).check({}, told()), {
            inputs: { ...told(), replicas: 4, plan: [], deferred: "" },
            failures: [{ property: "", reason: "no kubeconfig" }],
        });
    });

    it("is not tried while part of `access` is unknown", async () => {
        const world = clusterWorld({ tryAccess: () => Promise.reject(new ClusterAccessError("no kubeconfig")) });
        for (const access of [{ kubeconfig: unknownValue }, unknownValue]) {
            const { failures, inputs } = await gate(world).check({}, told({ access }));
            assert.equal(failures, undefined);
            repeats(inputs.deferred, "access");
        }
    });

    it("passes a defect on unchanged", async () => {
        const world = clusterWorld({ tryAccess: () => Promise.reject(new TypeError("a defect")) });
        await assert.rejects(gate(world).check({}, told()), new TypeError("a defect"));
    });
});

describe("an update that the API server ends", () => {
    for (const [status, next] of [
        [undefined, "check the API server and the network path to it"],
        [500, "check the API server and the network path to it"],
        [403, "grant the user of the kubeconfig this permission"],
    ] as const) {
        it(`says what to do next after ${status ?? "silence"}`, async () => {
            const error = new KubernetesApiError("could not read the pods", status);
            const { create, update } = gate(clusterWorld(), { effect: () => Promise.reject(error) });
            const message = `api-server: tidb/basic: could not read the pods. Next: ${next}, then run \`pulumi up\` again: it continues from the cluster's current state. [api-call-failed]`;
            await assert.rejects(create(outsOf(told())), { name: "GateError", message });
            await assert.rejects(update("", {}, outsOf(told())), { name: "GateError", message });
        });
    }
});

describe("a cluster whose Lease", () => {
    it("has no UID yet is deployed for the first time, so it has no plan", async () => {
        for (const leaseUid of ["", undefined, unknownValue]) {
            const { inputs } = await gate(clusterWorld()).check({}, told({ leaseUid }));
            assert.deepEqual([inputs.plan, inputs.deferred, inputs.replicas], [[], firstDeployment, 4]);
        }
    });

    it("does not exist, though the preview has a UID for it, is deployed for the first time", async () => {
        const { inputs } = await gate(clusterWorld({ lease: undefined })).check({}, told());
        assert.deepEqual([inputs.plan, inputs.deferred], [[], firstDeployment]);
    });

    const same = "pass the same `kubeconfig` and `context` to the Kubernetes provider and to TidbCluster";
    for (const [name, lease, message] of [
        [
            "is gone or in another cluster than the gates reach gets no plan and no steps",
            undefined,
            `Lease tidb/basic-pulumi-tidb is not in the Kubernetes cluster that the gates reach, though the Kubernetes provider created it (uid lease-1). Either the two reach different clusters: ${same}; or the Lease was deleted: run \`pulumi refresh\``,
        ],
        [
            "has another UID is another cluster",
            leaseOf({ uid: "lease-2" }),
            `Lease tidb/basic-pulumi-tidb has uid lease-2 in the Kubernetes cluster that the gates reach, but the Kubernetes provider created it with uid lease-1: these are two clusters. Nothing is done; ${same}. If someone recreated the Lease, run \`pulumi refresh\``,
        ],
    ] as const) {
        it(name, async () => {
            const world = clusterWorld({ lease });
            let worked = false;
            const { check, update } = gate(world, { effect: () => Promise.resolve(void (worked = true)) });
            await assert.rejects(check(outsOf(told()), told()), { message });
            await assert.rejects(update("", outsOf(told()), outsOf(told())), { message });
            assert.equal(worked, false);
        });
    }
});

describe("the result of a check", () => {
    it("is a refusal with the field in the reason, because Pulumi shows `<nil>` for a field of the gate", async () => {
        const refused = { property: "spec.tikv.replicas", reason: "too few" };
        const found = await gate(clusterWorld(), { plan: () => Promise.resolve({ plan: [], refused }) }).check(
            {},
            told(),
        );
        assert.deepEqual(found.failures, [{ property: "", reason: "spec.tikv.replicas: too few" }]);
    });

    const silent = new KubernetesApiError("the API server did not answer", undefined);
    const refusing = new KubernetesApiError("the API server answered 500", 500);
    for (const [name, error, olds, plan, deferred, warnings] of [
        ["nothing, with a warning, if nothing changed", silent, outsOf(told()), [], "", ["api-call-failed"]],
        [
            "unknown, with a warning, if something changed",
            silent,
            outsOf(told({ domain: "a" })),
            [],
            `deferred: ${silent.message}`,
            ["api-call-failed"],
        ],
        ["unknown in a first deployment", silent, {}, [], `deferred: ${silent.message}`, ["api-call-failed"]],
        [
            "unknown, without a second warning, if an earlier gate gave it",
            new ReportedUnreachable(silent, "basic-cluster"),
            outsOf(told({ domain: "a" })),
            [],
            "deferred: the API server does not answer: see the warning of basic-cluster",
            [],
        ],
        [
            "nothing, without a warning, if nothing changed and an earlier gate gave it",
            new ReportedUnreachable(silent, "basic-cluster"),
            outsOf(told()),
            [],
            "",
            [],
        ],
        [
            "nothing, with a warning, if nothing changed and the API server refuses to answer",
            refusing,
            outsOf(told()),
            [],
            "",
            ["api-call-failed"],
        ],
        [
            "the sure steps, without a warning, because Kubernetes was read",
            new Unreadable("pd-answers", "PD is silent", tasks("remove basic-tikv-4")),
            outsOf(told()),
            ["remove basic-tikv-4"],
            "deferred: PD is silent",
            [],
        ],
        [
            "nothing if only PD is silent",
            new Unreadable("pd-answers", "PD is silent"),
            outsOf(told()),
            [],
            "",
            ["pd-answers"],
        ],
    ] as const) {
        it(`is ${name}`, async () => {
            const world = clusterWorld();
            const { check, diff } = gate(world, { plan: () => Promise.reject(error) });
            const { inputs } = await check(olds, told());
            assert.deepEqual(await diff("", olds, inputs), { changes: deferred !== "" });
            assert.deepEqual([inputs.plan, inputs.deferred, codesOf(world.warnings)], [plan, deferred, warnings]);
        });
    }
});

describe("the report of a gate", () => {
    it("has the plan as data beside the plan in words, and says nothing to Pulumi", async () => {
        const world = clusterWorld();
        const code = "config-without-effect";
        const note = { is: "note", code, words: "config of tikv: a: no effect", isWarning: true } as const;
        const more = { plan: () => Promise.resolve({ plan: tasks("restart basic-tikv-3") }), notes: () => [note] };
        assert.deepEqual(await gate(world, more).planOf(outsOf(told()), told()), {
            inputs: { ...told(), replicas: 4, plan: [note.words, "restart basic-tikv-3"], deferred: "" },
            plan: [note, ...tasks("restart basic-tikv-3")],
            warnings: [{ code, message: note.words }],
        });
        assert.deepEqual([world.warnings, world.done], [[], []]);
    });

    it("has the warnings of a paused cluster and of one that does not answer", async () => {
        const world = clusterWorld();
        const report = await gate(world).planOf(outsOf(told()), told({ paused: true }));
        assert.deepEqual(report.plan, []);
        assert.deepEqual(codesOf(report.warnings), ["paused"]);
        const silent = await gate(world, {
            plan: () => Promise.reject(new Unreadable("pd-answers", "PD is silent")),
        }).planOf(outsOf(told()), told());
        repeats(silent.warnings, "PD is silent");
        assert.deepEqual(world.warnings, []);
    });
});

describe("a check that is not answered", () => {
    mockTimers();

    const notesOf = async (answer: () => ReturnType<GateDefinition<GateProgramInputs>["plan"]>) => {
        const world = clusterWorld();
        const notes: string[] = [];
        changePorts(world, ({ progress }) => ({ progress: { ...progress, note: (line) => void notes.push(line) } }));
        const plan = () => {
            passSeconds(9, (milliseconds) => (world.time += milliseconds));
            return answer();
        };
        await gate(world, { plan }).check(outsOf(told()), told());
        return notes.map(withoutTime);
    };
    const lacks = "an answer of the API server, PD or a pod";

    it("says so in the log, as in a first deployment, where PD has no leader yet", async () => {
        assert.deepEqual(await notesOf(() => Promise.resolve({ plan: [] })), [
            `waiting: ${lacks} (2 s; fails at …)`,
            `done waiting after 9 s, because the plan is made; the reason was: ${lacks}`,
        ]);
    });

    it("says when it gives up", async () => {
        assert.deepEqual(await notesOf(() => Promise.reject(new Unreadable("pd-answers", "PD is silent"))), [
            `waiting: ${lacks} (2 s; fails at …)`,
            `done waiting after 9 s, because the call failed; the reason was: ${lacks}`,
        ]);
    });
});

describe("an unreadable answer", () => {
    it("is reported under its own name", () => {
        assert.equal(String(new Unreadable("pd-answers", "PD is silent")), "Unreadable: PD is silent");
    });
});

describe("the gate of a paused cluster", () => {
    const paused = async (world: ClusterWorld, plan: string[], news: object = {}) => {
        const { check } = gate(world, { plan: () => Promise.resolve({ plan: tasks(...plan) }) });
        return check(outsOf(told()), told({ ...news, paused: true }));
    };
    /** The lines of each such warning. */
    const withheld = ({ warnings }: ClusterWorld) =>
        warnings.map(({ code, message }) => {
            assert.equal(code, "paused");
            return message.split("\n  - ").slice(1);
        });

    it("says nothing if nothing is withheld, and otherwise everything that is", async () => {
        const world = clusterWorld();
        await paused(world, []);
        assert.deepEqual(world.warnings, []);
        await paused(world, ["restart basic-tikv-3", "restart basic-tikv-2"]);
        assert.deepEqual(withheld(world), [["restart basic-tikv-3", "restart basic-tikv-2"]]);
    });

    it("names no command that consents: the plan may be another one after the pause", async () => {
        const world = clusterWorld();
        const words = "approve: `npx pulumi-tidb approve basic 3f9c2a11d0e7` lets through: restart basic-tikv-3";
        const { check } = gate(world, {
            plan: () =>
                Promise.resolve({
                    plan: [...tasks("restart basic-tikv-3"), { is: "approval", digest: "3f9c2a11d0e7", words }],
                }),
        });
        await check(outsOf(told()), told({ paused: true }));
        assert.deepEqual(withheld(world), [["restart basic-tikv-3"]]);
    });

    it("does not say a second time, as what the last gate waits for, what other gates withhold", async () => {
        const world = clusterWorld();
        const lacks = [3, 2].map((ordinal): PlanItem => ({
            is: "missing",
            pod: `basic-tikv-${ordinal}`,
            words: `wait for basic-tikv-${ordinal} to run the newest template`,
        }));
        const planned = { plan: [...tasks("set a password"), ...lacks] };
        const { check } = gate(world, { plan: () => Promise.resolve(planned) });
        await check(outsOf(told()), told({ paused: true }));
        assert.deepEqual(withheld(world), [["set a password"]]);
    });

    it("says no more than 20 lines of what is withheld", async () => {
        const world = clusterWorld();
        const steps = Array.from({ length: 22 }, (_, ordinal) => `restart basic-tikv-${ordinal}`);
        await paused(world, steps.slice(0, 20));
        await paused(world, steps);
        const [whole, cut] = withheld(world);
        assert.deepEqual([whole.length, whole.at(-1)], [20, "restart basic-tikv-19"]);
        assert.deepEqual(cut.slice(19), ["restart basic-tikv-19", "… and 2 more"]);
    });

    it("uses this run's access and keeps all other inputs", async () => {
        const { inputs } = await paused(clusterWorld(), [], {
            access: { context: "new" },
            pd: { namespace: "other" },
            desiredReplicas: 5,
        });
        assert.deepEqual([inputs.access, inputs.pd], [{ context: "new" }, { namespace: "other" }]);
        assert.deepEqual([inputs.desiredReplicas, inputs.replicas], [4, 4]);
    });

    it("says only the refusal if the cluster is not deployed yet", async () => {
        const world = clusterWorld();
        const found = await gate(world).check({}, told({ paused: true }));
        assert.deepEqual(found.failures, [
            {
                property: "",
                reason: "spec.paused: found true, expected false until basic-tikv is deployed: nothing new is created in a paused cluster",
            },
        ]);
        assert.deepEqual([found.inputs.plan, world.warnings], [[], []]);
    });
});
