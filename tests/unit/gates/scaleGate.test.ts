import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createGate } from "../../../provider/gates/gate";
import { glance, lookForScale, lookForScalePlan, withClaims, withSizes } from "../../../provider/gates/looks";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import { spreadOf } from "../../../provider/lifecycle/vocabulary/spread";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { neverStarted } from "../../support/lifecycle/decisionTable";
import { kindsInPd } from "../../support/lifecycle/kindsInPd";
import { claimOf } from "../../support/lifecycle/observations";
import { changePorts, clusterWorld, type ClusterWorld, told as clusterTold, watchLocks } from "./clusterWorld";
import { failsWith } from "../../support/failsWith";
import { codesOf, repeats } from "../../support/repeats";
import { refusedAt } from "../../support/gates/refusedAt";

const claims = [{ name: "tikv", storage: "1Gi", storageClass: "" }];
const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };
const told = (desiredReplicas: number, more: object = {}) =>
    clusterTold({ gate: "scale", component: "tikv", desiredReplicas, policy: defaultPolicy, fixed, ...more });
const outsOf = (inputs: Record<string, unknown>) => ({
    ...inputs,
    replicas: inputs.desiredReplicas,
    plan: [],
    deferred: "",
});
const scale = (world: ClusterWorld) => createGate(scaleGateDefinition, world);
const world = (tikv: ClusterWorld["live"]["tikv"]) => clusterWorld({ live: { tikv } });
const released = (ordinal: number) => claimOf("tikv", ordinal, { released: true });

describe("the plan of a changed number of replicas", () => {
    it("has a step for each leaving store, highest first, if enough stores stay", async () => {
        const { inputs, failures } = await scale(world({ live: 5 })).check({}, told(3));
        assert.deepEqual(
            (inputs.plan as string[]).map((line) => line.split(":")[0]),
            ["remove basic-tikv-4 (5 to 3 replicas)", "remove basic-tikv-3 (5 to 3 replicas)"],
        );
        assert.deepEqual([failures, inputs.replicas], [undefined, 3]);
    });

    it("goes without PD when replicas are added, and asks it only which stores are low on space", async () => {
        const small = world({ live: 3, pdSilent: true, claims: [claimOf("tikv", 3)] });
        const { inputs } = await scale(small).check({}, told(4));
        assert.deepEqual(inputs.plan, []);
        const looks = [glance, lookForScale].map((look) => withClaims(look("tikv"), "tikv", fixed));
        assert.deepEqual(small.looks, looks);
        const [capacityBytes, availableBytes] = [1024 ** 4, 1024 ** 3];
        small.live.tikv = { live: 3, lowSpaceRatio: 0.8, stores: { 1: { capacityBytes, availableBytes } } };
        const { remarks } = await scale(small).planOf({}, told(4));
        assert.deepEqual(codesOf(remarks), ["store-low-on-space"]);
        repeats(remarks, "store 11 (basic-tikv-1, 0% free)");
    });

    it("asks PD when replicas are added whose volumes have a mark: a mark is no proof that they may be deleted", async () => {
        for (const component of ["pd", "tikv"] as const) {
            const claims = [claimOf(component, 3, { released: true })];
            const small = clusterWorld({ live: { [component]: { live: 3, claims } } });
            const { inputs } = await scale(small).check({}, told(4, { component }));
            assert.deepEqual(inputs.plan, [
                `empty the volumes of basic-${component}-3 (an earlier scale-in released its volumes): delete its claims, so it starts empty (~1 s)`,
            ]);
            assert.deepEqual(
                small.looks,
                [glance, lookForScalePlan].map((look) => withClaims(look(component), component, fixed)),
            );
            small.live[component] = { live: 3, claims, pdSilent: true };
            const silent = await scale(small).check({}, told(4, { component }));
            const once = `empty the volumes of basic-${component}-3 (an earlier scale-in released its volumes): once PD answers`;
            assert.deepEqual([silent.inputs.plan, silent.inputs.deferred], [[once], "deferred: PD answers 500"]);
            await failsWith(scale(small).update("", outsOf(inputs), inputs), "released-volumes-unknown", {
                names: "PD answers 500",
            });
            assert.ok(!small.done.includes("delete-claims"));
        }
    });

    it("is refused where PD comes back without a pod onto volumes with a mark: the update would wait for a PD that it keeps from starting", async () => {
        const marked = [1, 2].map((ordinal) => claimOf("pd", ordinal, { released: true }));
        const back = async (ordinals: ReturnType<typeof claimOf>[], live = 0) => {
            const pd = { live, claims: ordinals, pdSilent: true };
            const { failures = [] } = await scale(clusterWorld({ live: { pd } })).check(
                {},
                told(3, { component: "pd" }),
            );
            return failures.map(({ reason }) => reason);
        };
        const why = "PD has no pod to ask about volumes that a scale-in released";
        const way =
            "take the mark off: kubectl annotate pvc pd-basic-pd-1 pd-basic-pd-2 tidb.pingcap.com/pvc-defer-deleting-";
        assert.deepEqual(await back([claimOf("pd", 0), ...marked]), [
            `spec.pd.replicas: found 3, expected 1: ${why}. Next: start PD with 1 first, or, if PD needs them, ${way}`,
        ]);
        assert.deepEqual(await back([claimOf("pd", 0)]), []);
        assert.deepEqual(await back([claimOf("pd", 0), ...marked], 1), [], "a pod may answer later");
    });

    it("is empty if nothing changes, and asks only Kubernetes", async () => {
        for (const [component, replicas] of [
            ["pd", 3],
            ["tikv", 4],
            ["tidb", 2],
        ] as const) {
            const same = clusterWorld();
            const news = told(replicas, { component });
            const { inputs } = await scale(same).check(outsOf(news), news);
            assert.deepEqual([inputs.plan, inputs.deferred], [[], ""], component);
            assert.deepEqual(same.looks, [withClaims(glance(component), component, fixed)]);
        }
    });

    it("allows a scale-out to fewer stores than PD keeps replicas", async () => {
        const { failures } = await scale(world({ live: 1 })).check({}, told(2));
        assert.equal(failures, undefined);
    });

    it("asks PD if a removal may have been taken back, even if the number is the same", async () => {
        const begun = { evictions: {}, removals: { 13: { pod: "basic-tikv-3", begunAt: 0 } } };
        const taken = world({ stores: { 3: { state: "Offline" } } });
        taken.lease = { ...taken.lease!, records: begun };
        const { inputs, failures } = await scale(taken).check(outsOf(told(4)), told(4));
        assert.deepEqual(inputs.plan, [
            "take back the removal of basic-tikv-3 (a scale-in was reverted): set store 13 Up again (~1 s)",
        ]);
        assert.equal(failures, undefined);
        assert.deepEqual(taken.looks.at(-1), withClaims(lookForScalePlan("tikv"), "tikv", fixed));
    });

    it("refuses nothing while it takes a removal back, even if too few stores are Up until then", async () => {
        const begun = { evictions: {}, removals: { 12: { pod: "basic-tikv-2", begunAt: 0 } } };
        const taken = world({ live: 3, stores: { 2: { state: "Offline" }, 1: { state: "Offline" } } });
        taken.lease = { ...taken.lease!, records: begun };
        const { failures } = await scale(taken).check(outsOf(told(3)), told(3));
        assert.equal(failures, undefined);
    });

    it("has the removals as steps while PD is silent, without what PD must decide first", async () => {
        const silent = world({ live: 5, pdSilent: true, claims: [released(1)] });
        const begun = { evictions: {}, removals: { 12: { pod: "basic-tikv-2", begunAt: 0 } } };
        silent.lease = { ...silent.lease!, records: begun };
        const { inputs } = await scale(silent).check({}, told(4));
        assert.deepEqual(inputs.plan, ["remove basic-tikv-4 (5 to 4 replicas): once PD answers"]);
        assert.equal(inputs.deferred, "deferred: PD answers 500");
    });

    it("has a step if the API server is silent and nothing changed, because somebody may have added replicas", async () => {
        const failure = new KubernetesApiError("the API server at https://there did not answer", undefined);
        const unseen = clusterWorld({ failure });
        const { inputs } = await scale(unseen).check(outsOf(told(4)), told(4));
        assert.deepEqual(inputs.plan, ["read the number of replicas once the API server answers"]);
        assert.equal(inputs.deferred, "deferred: the API server at https://there did not answer");
        assert.deepEqual(codesOf(unseen.warnings), ["api-call-failed"]);
    });
});

describe("a changed number of replicas", () => {
    it("is applied once the volumes that were given up before are gone", async () => {
        const live = world({ live: 3, claims: [released(3)], claimTemplates: claims });
        const said = watchLocks(live);
        live.changes = () => (live.live.tikv = { live: 3, claimTemplates: claims });
        await scale(live).update("", {}, outsOf(told(4, { fixed: { ...fixed, claims } })));
        assert.ok(live.done.includes("delete-claims"));
        assert.deepEqual(said, ["scale basic-tikv to 4"]);
        const look = withSizes(withClaims(lookForScale("tikv"), "tikv", { ...fixed, claims }), { ...fixed, claims });
        assert.ok(live.looks.every((one) => JSON.stringify(one) === JSON.stringify(look)));
    });

    it("is applied at once if nothing stands in its way, and the gate says what comes next", async () => {
        const live = world({ live: 3 });
        await scale(live).update("", outsOf(told(3)), outsOf(told(4)));
        assert.deepEqual(live.done, ["next, StatefulSet basic-tikv starts basic-tikv-3 (from 3 to 4 replicas)"]);
    });
});

describe("a number of replicas that falls", () => {
    const stepsOf = ({ done }: ClusterWorld) => done.filter((one) => !/ |^records$/.test(one));

    for (const { component, dropped, id } of kindsInPd) {
        it(`is set by the gate in the look that finds the pod of ${component} out of PD: a pod may join until Pulumi writes it`, async () => {
            const claims = [claimOf(component, 3, { released: true, releasedId: id })];
            const of = clusterWorld({ live: { [component]: { live: 4, ...dropped, claims } } });
            await scale(of).update("", outsOf(told(4, { component })), outsOf(told(3, { component })));
            assert.deepEqual(stepsOf(of), ["lock", "set-replicas", "release"]);
            assert.equal(of.live[component]?.live, 3);
            const look = withClaims(lookForScale(component), component, fixed);
            assert.ok(of.looks.every((one) => JSON.stringify(one) === JSON.stringify(look)));
        });
    }

    it("is left to Pulumi where PD has nothing of the pods", async () => {
        const of = clusterWorld({ live: { tidb: { live: 2 } } });
        await scale(of).update("", outsOf(told(2, { component: "tidb" })), outsOf(told(1, { component: "tidb" })));
        assert.deepEqual(stepsOf(of), []);
    });

    it("does not fall over a new pod of PD that starts and joins within 150 s: PD would keep a member without a pod", async () => {
        const of = clusterWorld();
        const began = of.time;
        let claims = [claimOf("pd", 0), claimOf("pd", 1)];
        let isRemoved = false;
        of.changes = (action) => {
            isRemoved ||= action.do === "remove-member";
            if (action.do === "release-claims") {
                claims = [claims[0], { ...claims[1], released: true, releasedId: action.storeOrMember }];
            }
        };
        changePorts(of, ({ look }) => ({
            look: (...how) => {
                const seconds = (of.time - began) / 1000;
                const live = of.live.pd?.live ?? 2;
                const pod = seconds < 100 ? neverStarted : { ready: false, readySince: undefined };
                const notMembers = seconds < 200 || isRemoved ? [1] : [];
                of.live.pd = { live, pods: { 1: pod }, notMembers, claims };
                return look(...how);
            },
        }));
        await scale(of).update("", outsOf(told(2, { component: "pd" })), outsOf(told(1, { component: "pd" })));
        assert.deepEqual(stepsOf(of), [
            ...["lock", "remove-member", "release-claims", "forget-removal", "set-replicas", "release"],
        ]);
        assert.equal(claims[1].releasedId, "101");
    });
});

describe("the constraints that spread pods over nodes", () => {
    const wanted = spreadOf([
        { maxSkew: 2, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule" },
    ]);
    const wants = (templateRevision: string, when = "with-changes") => ({
        wantedSpread: { spread: wanted, templateRevision, when },
    });
    const given = (inputs: Record<string, unknown>): unknown => (inputs.fixed as { spread?: unknown }).spread;
    const onNodes = Object.fromEntries(["a", "a", "b", "c"].map((node, ordinal) => [ordinal, { node }]));

    it("are nothing new for a state of an earlier version: the update is empty, and restarts nothing", async () => {
        const same = world({ pods: onNodes });
        const olds = outsOf(told(4));
        const { inputs } = await scale(same).check(olds, told(4, wants("new-template")));
        assert.deepEqual(inputs.fixed, fixed);
        assert.equal((await scale(same).diff("", olds, inputs)).changes, false);
    });

    it("are a change when the template changes anyway", async () => {
        const live = world({ pods: onNodes });
        const { inputs } = await scale(live).check(outsOf(told(4)), told(4, wants("another")));
        assert.deepEqual(given(inputs), wanted);
        assert.equal((await scale(live).diff("", outsOf(told(4)), inputs)).changes, true);
    });

    it("are refused where a pod could not come back, and the preview names the option", async () => {
        const crowded = world({ pods: Object.fromEntries([0, 1, 2, 3].map((ordinal) => [ordinal, { node: "a" }])) });
        const { refused } = await scale(crowded).planOf(outsOf(told(4)), told(4, wants("new-template", "now")));
        assert.deepEqual(refusedAt(refused), ["operations.placement"]);
        repeats(refused?.[0].reason, "node a has 4 of the 4 pods");
    });

    it("come where other nodes take the pods above the number, which is asked only then", async () => {
        const nodes = { 0: "a", 1: "a", 2: "a", 3: "b" };
        const on = (room?: ObservedPod["room"]) =>
            Object.fromEntries(Object.entries(nodes).map(([ordinal, node]) => [ordinal, { node, room }]));
        const crowded = (answer: ObservedPod["room"]) => {
            const live = world({});
            const isAsked = () => live.looks.at(-1)?.rooms !== undefined;
            return Object.defineProperty(live, "live", {
                get: () => ({ tikv: { pods: on(isAsked() ? answer : undefined) } }),
            });
        };
        const free = crowded(known({ is: "somewhere", nodes: ["b", "c"] }, "the API server", 5));
        const { inputs } = await scale(free).check(outsOf(told(4)), told(4, wants("another")));
        assert.deepEqual(given(inputs), wanted);
        const [constraint] = wanted.constraints;
        assert.deepEqual(
            free.looks.map(({ rooms, roomsUnder }) => ({ rooms, roomsUnder })),
            [
                { rooms: undefined, roomsUnder: undefined },
                {
                    rooms: ["basic-tikv-0", "basic-tikv-1", "basic-tikv-2"],
                    roomsUnder: [{ ...constraint, maxSkew: 4 }],
                },
            ],
        );

        const closed = crowded(notKnown("403 Forbidden"));
        const now = told(4, wants("new-template", "now"));
        const { refused } = await scale(closed).planOf(outsOf(told(4)), now);
        repeats(refused?.[0].reason, "basic-tikv-0", "403 Forbidden");
        const batches = told(4, { ...wants("another"), policy: { ...defaultPolicy, parallelism: 2 } });
        const beside = crowded(known({ is: "somewhere", nodes: ["b", "c"] }, "the API server", 5));
        assert.equal(given((await scale(beside).check(outsOf(told(4)), batches)).inputs), undefined);
    });

    it("are known in the preview of a first deployment", async () => {
        const first = world({});
        const { inputs } = await scale(first).check({}, told(4, { ...wants("new-template"), leaseUid: undefined }));
        assert.deepEqual(given(inputs), wanted);
    });

    it("are not known while the program does not know its own values", async () => {
        const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
        const { inputs } = await scale(world({})).check({}, told(4, { wantedSpread: unknown, fixed: unknown }));
        assert.equal(inputs.fixed, unknown);
    });

    it("stay those of the last update while the API server is silent", async () => {
        const failure = new KubernetesApiError("the API server at https://there did not answer", undefined);
        const silent = clusterWorld({ failure });
        const olds = { ...outsOf(told(4)), fixed: { ...fixed, spread: wanted } };
        const kept = await scale(silent).check(olds, told(4, wants("another")));
        assert.deepEqual(given(kept.inputs), wanted);
        const earlier = await scale(silent).check(outsOf(told(4)), told(4, wants("another")));
        assert.deepEqual(given(earlier.inputs), undefined);
    });

    it("are known of a live member while PD is silent", async () => {
        const pods = { ...onNodes, 4: { node: "b" } };
        const silent = world({ live: 5, pods, pdSilent: true });
        const { inputs } = await scale(silent).check(outsOf(told(5)), told(4, wants("another")));
        repeats(inputs.deferred, "PD answers 500");
        assert.deepEqual(given(inputs), wanted);
    });
});
