import * as assert from "node:assert/strict";
import { ClusterAccessError } from "../../../provider/cluster/access";
import type { AccessAnswer } from "../../../provider/cluster/accessReview";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { type PrerequisiteInputs, unknownValue } from "../../../provider/gates/inputs";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ContainerState } from "../../../provider/lifecycle/vocabulary/observation";
import type { NamespaceState } from "../../../provider/lifecycle/prerequisites/namespace";
import { type Permission, permissionsOf } from "../../../topology/permissions";
import { grantedAccess } from "../../support/gates/grantedAccess";
import { claimOf } from "../../support/lifecycle/observations";
import {
    changePorts,
    checked as checkedCluster,
    type ClusterWorld,
    clusterWorld,
    deployed,
    leaseOf,
    told,
} from "./clusterWorld";
import { warnedRisks } from "../../../provider/lifecycle/walks/warnedRisks";
import { failsWith } from "../../support/failsWith";
import { codesOf, repeats } from "../../support/repeats";

const member = { version: "v8.5.2", versionField: "spec.version", templateRevision: "one", runs: true };
const asked: PrerequisiteInputs = {
    members: { pd: member, tikv: member, tidb: member },
    objects: "one",
    namespaceMaker: "nobody",
    mayGrant: false,
    sharesUser: true,
    traits: [],
    allowDowngrade: false,
};
const upgraded = (version: string, more: Partial<PrerequisiteInputs> = {}): PrerequisiteInputs => {
    const next = { ...member, version, templateRevision: "two" };
    return { ...asked, objects: "two", members: { pd: next, tikv: next, tidb: next }, ...more };
};
const before = deployed({ prerequisites: asked });
const deletePods = permissionsOf("basic").filter(({ resource, verb }) => resource === "pods" && verb === "delete");
const createServices = permissionsOf("basic").filter(
    ({ resource, verb }) => resource === "services" && verb === "create",
);

/** A cluster that answers like this, and what it was asked. */
function worldThat({
    denied = [],
    notKnown,
    namespace = "active",
    image,
}: {
    denied?: Permission[];
    notKnown?: string;
    namespace?: NamespaceState;
    image?: string;
} = {}) {
    const world = clusterWorld();
    const reviewed: Permission[][] = [];
    let namespaces = 0;
    changePorts(world, ({ look }) => ({
        access: {
            ...grantedAccess,
            namespaceState: () => Promise.resolve((namespaces++, namespace)),
            review: (permissions): Promise<AccessAnswer> => {
                reviewed.push([...permissions]);
                return Promise.resolve({ user: "user ana", denied, notKnown });
            },
        },
        look: async (options) => {
            const seen = await look(options);
            Object.values(seen.members).forEach(({ pods }) => pods.forEach((pod) => (pod.image = image)));
            return seen;
        },
    }));
    return { world, reviewed, namespaces: () => namespaces };
}

const checked = (world: ClusterWorld, prerequisites: unknown, olds: Record<string, unknown> = before, more = {}) =>
    checkedCluster(world, { prerequisites, ...more }, olds);

describe("the checks of a preview before an update", () => {
    it("are skipped if the program is the same", async () => {
        const { world, reviewed } = worldThat({ denied: deletePods });
        const { refused, inputs } = await checked(world, asked);
        assert.deepEqual([refused, reviewed, world.looks, inputs.prerequisites], [undefined, [], [], asked]);
    });

    it("are skipped while the cluster is paused", async () => {
        const { world, reviewed } = worldThat({ denied: deletePods });
        await checked(world, upgraded("v8.5.3"), before, { paused: true });
        assert.deepEqual(reviewed, []);
    });

    it("refuse an update that restarts pods without the permission, with user, verb, object and rule", async () => {
        const { world, reviewed } = worldThat({ denied: deletePods });
        const { refused, why } = await checked(world, upgraded("v8.5.3"));
        assert.deepEqual(refused, ["kubeconfig, context"]);
        repeats(why, "user ana", '\n- { apiGroups: [""], resources: [pods], verbs: [delete] }');
        assert.ok(reviewed[0].some(({ resource, verb }) => resource === "pods" && verb === "delete"));
    });

    it("do not ask for the permission to restart pods if only a Service changes", async () => {
        const { world, reviewed } = worldThat();
        await checked(world, { ...asked, objects: "two" });
        assert.equal(reviewed.length, 1);
        assert.deepEqual(
            reviewed[0].filter(({ resource, verb }) => resource === "pods" && verb === "delete"),
            [],
        );
    });

    it("ask for it, and for volumes, if the number of pods changes or a member is suspended or leaves", async () => {
        for (const [more, changes] of [
            [{ memberReplicas: { pd: 3, tikv: 3, tidb: 2 } }, asked],
            [{}, { ...asked, members: { ...asked.members, tidb: { ...member, runs: false } } }],
            [{ components: ["pd", "tikv"] }, { ...asked, members: { pd: member, tikv: member } }],
        ] as const) {
            const { world, reviewed } = worldThat();
            await checked(world, changes, before, more);
            const verbs = reviewed[0].map(({ resource, verb }) => `${verb} ${resource}`);
            assert.ok(verbs.includes("delete pods"));
            assert.equal(verbs.includes("delete persistentvolumeclaims"), "memberReplicas" in more);
        }
    });

    it("refuse a suspension without the permission to delete StatefulSets, and otherwise only warn", async () => {
        const denied = permissionsOf("basic").filter(
            ({ resource, verb }) => resource === "statefulsets" && verb === "delete",
        );
        const suspended = { ...asked, members: { ...asked.members, tidb: { ...member, runs: false } } };
        for (const [next, expected] of [
            [suspended, true],
            [upgraded("v8.5.3"), false],
        ] as const) {
            const { world } = worldThat();
            changePorts(world, ({ access }) => ({
                access: {
                    ...access,
                    review: (needed) =>
                        Promise.resolve({
                            user: "user ana",
                            denied: needed.filter(({ need, resource, verb }) =>
                                denied.some(
                                    (one) => one.need === need && one.resource === resource && one.verb === verb,
                                ),
                            ),
                        }),
                },
            }));
            assert.equal((await checked(world, next)).refused !== undefined, expected);
        }
    });

    it("only warn if the user may not write on volume claims: a Role of an earlier build must not keep anybody from a rescue", async () => {
        const patchClaims = permissionsOf("basic").filter(
            ({ resource, verb }) => resource === "persistentvolumeclaims" && verb === "patch",
        );
        for (const news of [
            upgraded("v8.5.3"),
            { ...asked, members: { ...asked.members, tidb: { ...member, runs: false } } },
        ]) {
            const { world } = worldThat({ denied: patchClaims });
            assert.equal((await checked(world, news)).refused, undefined);
            repeats(world.warnings, "user ana", "resources: [persistentvolumeclaims], verbs: [patch]");
        }
        const scaled = worldThat({ denied: patchClaims }).world;
        const more = { memberReplicas: { pd: 3, tikv: 3, tidb: 2 } };
        repeats((await checked(scaled, asked, before, more)).why, "verbs: [patch]");
    });

    it("only warn if the user may write neither the journal nor Events: both are only for people", async () => {
        const forJournal = permissionsOf("basic").filter(({ isForJournal }) => isForJournal);
        assert.equal(forJournal.length, 4);
        const { world } = worldThat({ denied: forJournal });
        assert.equal((await checked(world, upgraded("v8.5.3"))).refused, undefined);
        repeats(world.warnings, "[configmaps], verbs: [get, create, patch]", "[events], verbs: [create]");
    });

    it("only warn if the user may not change volumes, and name a ClusterRole: no Role can grant it", async () => {
        const { world } = worldThat({ denied: permissionsOf("basic").filter(({ isClusterWide }) => isClusterWide) });
        assert.equal((await checked(world, upgraded("v8.5.3"))).refused, undefined);
        repeats(world.warnings, "by a ClusterRole", "[persistentvolumes], verbs: [get, patch]");
    });

    it("only warn if the Kubernetes provider lacks a permission and may run as another user", async () => {
        const { world } = worldThat({ denied: createServices });
        const { refused } = await checked(world, upgraded("v8.5.3", { sharesUser: false }));
        assert.equal(refused, undefined);
        repeats(world.warnings, "[services], verbs: [create]");
        const shared = await checked(worldThat({ denied: createServices }).world, upgraded("v8.5.3"));
        repeats(shared.why, "[services], verbs: [create]");
    });

    it("only warn of a missing permission to delete that only the Kubernetes provider needs", async () => {
        const deleteServices = permissionsOf("basic").filter(
            ({ resource, verb }) => resource === "services" && verb === "delete",
        );
        const { world } = worldThat({ denied: deleteServices });
        assert.equal((await checked(world, upgraded("v8.5.3"))).refused, undefined);
        repeats(world.warnings, "verbs: [delete]");
    });

    it("only warn in a preview if the program may grant the permissions itself; the update refuses what is still missing", async () => {
        const { world } = worldThat({ denied: deletePods });
        const news = told({ prerequisites: upgraded("v8.5.3", { mayGrant: true }) });
        const gate = createClusterGate(world);
        assert.equal((await gate.check(before, news, true)).failures, undefined);
        repeats(world.warnings, "[pods], verbs: [delete]");
        assert.equal((await gate.check(before, news)).failures?.length, 1);
        const without = told({ prerequisites: upgraded("v8.5.3") });
        assert.equal((await gate.check(before, without, true)).failures?.length, 1);
    });

    it("ask for the permission to restart pods if an earlier build wrote the state", async () => {
        const { world, reviewed } = worldThat();
        await checked(world, asked, deployed());
        assert.ok(reviewed[0].some(({ resource, verb }) => resource === "pods" && verb === "delete"));
    });

    it("only warn if the API server cannot answer, because unknown does not mean denied", async () => {
        const { world } = worldThat({ notKnown: "the API server answered 503" });
        const { refused } = await checked(world, upgraded("v8.5.3"));
        assert.equal(refused, undefined);
        assert.equal(world.warnings.length, 1);
        repeats(world.warnings[0], "the API server answered 503");
    });

    it("refuse a missing namespace, and ask for it only if the cluster has no Lease", async () => {
        const { world, reviewed, namespaces } = worldThat({ namespace: "missing" });
        world.lease = undefined;
        const first = { leaseUid: unknownValue };
        const { refused } = await checked(world, asked, {}, first);
        assert.deepEqual(refused, ["metadata.namespace"]);
        assert.deepEqual([reviewed, namespaces()], [[], 1]);
        const made = await checked(world, { ...asked, namespaceMaker: "program" }, {}, first);
        assert.deepEqual([made.refused, reviewed, world.warnings], [undefined, [], []]);
        const deployedWorld = worldThat({ namespace: "missing" });
        await checked(deployedWorld.world, upgraded("v8.5.3"));
        assert.equal(deployedWorld.namespaces(), 0);
    });

    it("refuse a namespace that was deleted with the cluster, even if the program is the same", async () => {
        const { world } = worldThat({ namespace: "missing" });
        world.lease = undefined;
        const { refused } = await checked(world, asked, before, { leaseUid: unknownValue });
        assert.deepEqual(refused, ["metadata.namespace"]);
        // The Lease of the last update is elsewhere: the gates reach another cluster, which the next check says.
        const elsewhere = worldThat({ namespace: "missing" });
        elsewhere.world.lease = undefined;
        await assert.rejects(
            checked(elsewhere.world, upgraded("v8.5.3")),
            /is not in the Kubernetes cluster that the gates reach/,
        );
        assert.equal(elsewhere.namespaces(), 0);
    });

    it("ask for the namespace and the permissions if the Lease may not be read either", async () => {
        const { world, reviewed, namespaces } = worldThat({ denied: deletePods });
        world.failure = new KubernetesApiError("the API server answered 403", 403);
        const { refused } = await checked(world, asked, {}, { leaseUid: unknownValue });
        assert.deepEqual(refused, ["kubeconfig, context"]);
        assert.deepEqual([reviewed.length, namespaces()], [1, 1]);
    });

    it("refuse a lower version than the pods run, each member at once, unless it is allowed", async () => {
        const { world } = worldThat({ image: "pingcap/tikv:v8.5.2" });
        const { refused, why } = await checked(world, upgraded("v8.1.0"));
        assert.deepEqual(refused, ["spec.version"]);
        repeats(why, "v8.1.0", "basic-pd-0", "basic-tikv-0", "basic-tidb-0", "v8.5.2");
        const allowed = await checked(world, upgraded("v8.1.0", { allowDowngrade: true }));
        assert.equal(allowed.refused, undefined);
        assert.equal(world.warnings.length, 1);
    });

    it("are a risk of the plan if they warn of an earlier patch version, also for the gates that restart the pods", async () => {
        const { world } = worldThat({ image: "pingcap/tikv:v8.5.2" });
        const risksOf = async (version: string) =>
            warnedRisks([await createClusterGate(world).planOf(before, told({ prerequisites: upgraded(version) }))]);
        assert.deepEqual(await risksOf("v8.5.1"), ["TiDB does not support going back to an earlier version"]);
        assert.deepEqual(await risksOf("v8.5.3"), []);
    });

    it("warn if an earlier build wrote the state and no pod runs, because the version before is unknown", async () => {
        const { world } = worldThat();
        world.live = {};
        const { refused } = await checked(world, upgraded("v7.1.0"), deployed());
        assert.equal(refused, undefined);
        repeats(world.warnings, "spec.version: found v7.1.0", "pd, tikv, tidb");
    });

    describe("before a first deployment onto the claims of an earlier cluster", () => {
        const firstInputs = { leaseUid: unknownValue };
        /** A cluster without anything but claims, which record this version. */
        const leftWorld = (version?: string, more = {}) => {
            const { world, reviewed } = worldThat(more);
            world.lease = undefined;
            world.live = {
                pd: { suspended: true, claims: [claimOf("pd", 0, { version })] },
                tikv: { suspended: true, claims: [claimOf("tikv", 0, { version })] },
            };
            return { world, reviewed };
        };
        const wanted = (version: string, more = {}) =>
            upgraded(version, { claimTemplates: { tikv: ["tikv", "tikv-log"] }, ...more });

        it("refuses an earlier version than theirs in the preview, and again in the update: TiKV could not read them", async () => {
            const { world } = leftWorld("v8.5.2");
            const { refused, why } = await checked(world, wanted("v8.1.2"), {}, firstInputs);
            assert.deepEqual(refused, ["spec.version"]);
            repeats(why, "v8.1.2", "pd-basic-pd-0", "v8.5.2", "tikv-basic-tikv-0");
            world.lease = leaseOf({ owner: undefined, members: undefined });
            assert.deepEqual((await checked(world, wanted("v8.1.2"), {})).refused, ["spec.version"]);
        });

        it("refuses fewer replicas than there are volumes, in the preview: their stores are PD's", async () => {
            const { world } = leftWorld("v8.5.2");
            const replicas = (tikv: number) => ({ ...firstInputs, memberReplicas: { pd: 1, tikv, tidb: 1 } });
            const claims = [0, 1, 2, 3].map((ordinal) => claimOf("tikv", ordinal, { version: "v8.5.2" }));
            world.live = { ...world.live, tikv: { suspended: true, claims } };
            const { refused, why } = await checked(world, wanted("v8.5.3"), {}, replicas(3));
            assert.deepEqual(refused, ["spec.tikv.replicas"]);
            repeats(why, "found 3, expected 4", "tikv-basic-tikv-3");
            assert.equal((await checked(world, wanted("v8.5.3"), {}, replicas(4))).refused, undefined);
        });

        it("finds claims by the program's templates: restored ones may have no labels", async () => {
            const { world } = leftWorld("v8.5.2");
            await checked(world, wanted("v8.5.3"), {}, firstInputs);
            assert.deepEqual(
                world.looks.map(({ components, claimTemplates }) => [components, claimTemplates]),
                [[["pd", "tikv", "tidb"], { tikv: ["tikv", "tikv-log"] }]],
            );
        });

        it("says nothing of a later version, and names the claims that record none", async () => {
            const later = leftWorld("v8.5.2").world;
            assert.equal((await checked(later, wanted("v8.5.3"), {}, firstInputs)).refused, undefined);
            assert.deepEqual(codesOf(later.warnings), ["tls-not-compared", "claims-left", "pd-settings-kept"]);
            repeats(later.warnings[0], "spec.tlsCluster.enabled", "pd-basic-pd-0");
            repeats(later.warnings[1], "pd-basic-pd-0, tikv-basic-tikv-0");
            const unknown = leftWorld().world;
            assert.equal((await checked(unknown, wanted("v8.1.2"), {}, firstInputs)).refused, undefined);
            const ofVersion = unknown.warnings.find(({ code }) => code === "version-not-compared");
            repeats(ofVersion, "pd-basic-pd-0, tikv-basic-tikv-0");
        });

        it("says nothing of claims beyond the pods that the program asks for: no pod starts on them", async () => {
            const { world } = leftWorld();
            const more = { ...firstInputs, memberReplicas: { pd: 0, tikv: 0, tidb: 2 } };
            await checked(world, wanted("v8.1.2"), {}, more);
            assert.ok(!codesOf(world.warnings).includes("version-not-compared"));
        });

        it("says nothing of the claims of a first deployment whose pods wait for a node: they are its own and empty", async () => {
            const container = known<ContainerState>({ is: "not-started" }, "the API server", 0);
            const pods = { 0: { image: "pingcap/tikv:v8.5.2", container, ready: false } };
            const tikv = { live: 1, pods, claims: [claimOf("tikv", 0)] };
            const world = clusterWorld({ live: { tikv }, lease: leaseOf({ pdClusterId: undefined }) });
            await createClusterGate(world).check(before, told({ prerequisites: { ...asked, objects: "two" } }), true);
            assert.ok(world.warnings.every(({ message }) => !message.includes("tikv-basic-tikv-0")));
        });

        it("lets the update compare what the preview may not read yet, and compares it there before anything starts", async () => {
            const listClaims = permissionsOf("basic").filter(
                ({ resource, verb }) => resource === "persistentvolumeclaims" && verb === "list",
            );
            const { world } = leftWorld("v8.5.2", { denied: listClaims });
            const gate = createClusterGate(world);
            const news = told({ prerequisites: wanted("v8.1.2", { mayGrant: true }), ...firstInputs });
            assert.equal((await gate.check({}, news, true)).failures, undefined);
            assert.deepEqual(codesOf(world.warnings), ["permission-missing"]);
            assert.deepEqual(world.looks, []);

            const { world: silent } = leftWorld("v8.5.2");
            silent.lease = leaseOf({ owner: undefined, members: undefined });
            let isSilent = true;
            changePorts(silent, ({ look }) => ({
                look: (options) =>
                    isSilent ? Promise.reject(new KubernetesApiError("answered 503", 503)) : look(options),
            }));
            const update = createClusterGate(silent);
            const { inputs, failures } = await update.check({}, told({ prerequisites: wanted("v8.1.2") }));
            assert.equal(failures, undefined);
            isSilent = false;
            await failsWith(update.create(inputs), "program-refused", { step: "compare-versions", names: "v8.5.2" });
            assert.deepEqual(silent.done, []);
        });
    });

    it("warns once that a Namespace of the program takes the volumes with it: in the preview of the first deployment", async () => {
        const own = { ...asked, namespaceMaker: "program" } as const;
        const warningsOf = async (
            olds: Record<string, unknown>,
            prerequisites: object,
            isPreview: boolean,
            more = {},
        ) => {
            const { world } = worldThat();
            await createClusterGate(world).check(olds, told({ prerequisites, ...more }), isPreview);
            return world.warnings.filter(({ code }) => code === "namespace-of-program");
        };
        const [warning, ...others] = await warningsOf({}, own, true);
        repeats(warning, "namespace tidb");
        assert.deepEqual(others, []);
        // The Kubernetes cluster may be made by the same program.
        assert.equal((await warningsOf({}, own, true, { access: { kubeconfig: unknownValue } })).length, 1);
        assert.deepEqual(await warningsOf({}, own, false), [], "the update of the same `pulumi up`");
        assert.deepEqual(await warningsOf(before, own, true), [], "the cluster is deployed");
        assert.deepEqual(await warningsOf(before, { ...own, objects: "two" }, true), []);
        assert.deepEqual(await warningsOf({}, asked, true), [], "somebody else's namespace");
        assert.deepEqual(await warningsOf({}, { ...asked, namespaceMaker: "maybe" }, true), []);
    });

    it("compare no version that a preview does not know", async () => {
        const { world } = worldThat({ image: "pingcap/tikv:v8.5.2" });
        const { refused, inputs } = await checked(world, upgraded(unknownValue));
        assert.deepEqual([refused, inputs.deferred, world.warnings], [undefined, "", []]);
    });

    it("pass a defect on unchanged", async () => {
        const { world } = worldThat();
        changePorts(world, () => ({ look: () => Promise.reject(new TypeError("a defect")) }));
        await assert.rejects(checked(world, upgraded("v8.5.3")), /a defect/);
    });
});

describe("TLS that the program switches in a cluster that runs", () => {
    const switched = upgraded("v8.5.2", { traits: ["tls"] });
    function worldWithoutTls() {
        const { world } = worldThat({ image: "pingcap/tikv:v8.5.2" });
        world.lease = leaseOf({ pdClusterId: "7" });
        changePorts(world, ({ look }) => ({
            look: async (options) => {
                const seen = await look(options);
                Object.values(seen.members).forEach(({ pods }) => pods.forEach((pod) => (pod.clusterTls = false)));
                return seen;
            },
        }));
        return world;
    }

    it("is refused in the preview", async () => {
        const { refused, why } = await checked(worldWithoutTls(), switched);
        assert.deepEqual(refused, ["spec.tlsCluster.enabled"]);
        repeats(why, "basic-pd-0");
        assert.equal((await checked(worldWithoutTls(), upgraded("v8.5.3"))).refused, undefined);
    });

    it("is refused by the update before it changes anything, if the check could not read the pods", async () => {
        const world = worldWithoutTls();
        let isSilent = true;
        const error = new KubernetesApiError("the API server answered nothing of use", 503);
        changePorts(world, ({ look }) => ({ look: (options) => (isSilent ? Promise.reject(error) : look(options)) }));
        const gate = createClusterGate(world);
        const { inputs } = await gate.check(before, told({ prerequisites: switched }));
        isSilent = false;
        await failsWith(gate.update("", before, inputs), "program-refused", { names: "runs without TLS" });
        assert.deepEqual(world.done, []);
    });
});

describe("versions that the check could not compare", () => {
    const busy = (status?: number) => new KubernetesApiError("the API server answered nothing of use", status);
    /** A cluster that runs v8.5.2 and answers only once `answers` is called. */
    function unreadWorld(error: KubernetesApiError, silent: "look" | "lease" | "review") {
        const { world } = worldThat({ image: "pingcap/tikv:v8.5.2" });
        let isSilent = true;
        changePorts(world, ({ look, lease, access }) => ({
            lease: () => (isSilent && silent === "lease" ? Promise.reject(error) : lease()),
            look: (options) => (isSilent && silent !== "review" ? Promise.reject(error) : look(options)),
            access: {
                ...access,
                review: (permissions) =>
                    isSilent && silent === "review" ? Promise.reject(error) : access.review(permissions),
            },
        }));
        return { world, answers: () => (isSilent = false) };
    }

    for (const [what, error, silent] of [
        ["503 for the pods", busy(503), "look"],
        ["429 for the pods", busy(429), "look"],
        ["503 for the review of the permissions", busy(503), "review"],
        ["503 for the Lease", busy(503), "lease"],
        ["no answer for the pods", busy(), "look"],
        ["no answer at all", busy(), "lease"],
    ] as const) {
        it(`are compared by the update after ${what}, before it changes anything`, async () => {
            const { world, answers } = unreadWorld(error, silent);
            const gate = createClusterGate(world);
            const { inputs, failures } = await gate.check(before, told({ prerequisites: upgraded("v8.1.0") }));
            assert.equal(failures, undefined);
            assert.deepEqual(inputs.plan, ["compare the cluster with the program once the API server answers"]);
            assert.deepEqual(await gate.diff("", before, inputs), { changes: true });
            answers();
            await failsWith(gate.update("", before, inputs), "program-refused", {
                ...{ step: "compare-versions", target: "tidb/basic" },
                names: ["spec.version: found v8.1.0", "runs v8.5.2"],
            });
            assert.deepEqual(world.done, []);
        });
    }

    it("are named once in the summary as not read", async () => {
        const news = told({ prerequisites: upgraded("v8.5.3") });
        const unreadOf = async (silent: "look" | "lease") =>
            (await createClusterGate(unreadWorld(busy(503), silent).world).planOf(before, news)).unread?.message;
        assert.equal(await unreadOf("look"), "the API server answered nothing of use");
        assert.equal(await unreadOf("lease"), undefined, "the deferred plan says it");
    });

    it("fail the update while the pods cannot be read", async () => {
        const { world } = unreadWorld(busy(503), "look");
        const gate = createClusterGate(world);
        const { inputs } = await gate.check(before, told({ prerequisites: upgraded("v8.1.0") }));
        await failsWith(gate.update("", before, inputs), "api-call-failed", { names: "answered nothing of use" });
    });

    it("do not stop the update to a later version, and are not compared again after it", async () => {
        const { world, answers } = unreadWorld(busy(503), "look");
        const gate = createClusterGate(world);
        const news = told({ prerequisites: upgraded("v8.5.3") });
        const { inputs } = await gate.check(before, news);
        answers();
        const { outs } = await gate.update("", before, inputs);
        const again = await gate.check(outs, news);
        assert.deepEqual(await gate.diff("", outs, again.inputs), { changes: false });
        assert.equal(world.looks.length, 1);
    });

    it("do not stop an update that allows the downgrade, which gets a warning", async () => {
        const { world, answers } = unreadWorld(busy(503), "look");
        const gate = createClusterGate(world);
        const news = told({ prerequisites: upgraded("v8.1.0", { allowDowngrade: true }) });
        const { inputs } = await gate.check(before, news);
        answers();
        await gate.update("", before, inputs);
        assert.deepEqual(codesOf(world.warnings), ["prerequisites-not-checked", "version-goes-back"]);
    });

    it("are compared with what the last update deployed if no pod runs", async () => {
        const { world, answers } = unreadWorld(busy(503), "look");
        world.live = {};
        world.lease = leaseOf({ pdClusterId: "7" });
        const gate = createClusterGate(world);
        const { inputs } = await gate.check(before, told({ prerequisites: upgraded("v8.1.0") }));
        answers();
        await failsWith(gate.update("", {}, inputs), "program-refused", { names: "the last update asked for v8.5.2" });
    });
});

describe("a kubeconfig that cannot be used", () => {
    it("fails the check with the field, whether the program changed or not", async () => {
        const broken = new ClusterAccessError("no context prod in the kubeconfig");
        for (const [olds, prerequisites] of [
            [before, asked],
            [before, upgraded("v8.5.3")],
            [{}, asked],
        ] as const) {
            const world = clusterWorld();
            world.open = () => Promise.reject(broken);
            world.tryAccess = () => Promise.reject(broken);
            const { failures } = await createClusterGate(world).check(olds, told({ prerequisites }));
            assert.deepEqual(failures, [{ property: "", reason: broken.message }]);
        }
    });
});

describe("an API server that does not answer", () => {
    const silent = () => clusterWorld({ failure: new KubernetesApiError("the API server did not answer", undefined) });

    it("ends an update with changes at the ClusterGate, before any object changes", async () => {
        const gate = createClusterGate(silent());
        const { inputs, failures } = await gate.check(before, told({ prerequisites: upgraded("v8.5.3") }));
        assert.equal(failures, undefined);
        assert.deepEqual(await gate.diff("", before, inputs), { changes: true });
        await failsWith(gate.update("", before, inputs), "api-call-failed", { names: "did not answer" });
    });

    it("is reported in one warning, with and without changes", async () => {
        for (const prerequisites of [asked, upgraded("v8.5.3")]) {
            const world = silent();
            changePorts(world, () => ({
                access: {
                    ...grantedAccess,
                    namespaceState: () => Promise.reject(new Error("asked, and waited for again")),
                    review: () => Promise.reject(new Error("asked, and waited for again")),
                },
            }));
            await checked(world, prerequisites);
            assert.deepEqual(codesOf(world.warnings), ["api-call-failed"]);
        }
    });

    it("causes no change if nothing changed; one that answers adds no upgrade step here", async () => {
        const { inputs } = await createClusterGate(silent()).check(before, told({ prerequisites: asked }));
        assert.deepEqual(await createClusterGate(silent()).diff("", before, inputs), { changes: false });
        const gate = createClusterGate(clusterWorld());
        const answered = await gate.check(before, told({ prerequisites: upgraded("v8.5.3") }));
        assert.deepEqual(await gate.diff("", before, answered.inputs), { changes: false });
    });
});
