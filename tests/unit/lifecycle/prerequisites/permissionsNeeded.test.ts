import * as assert from "node:assert/strict";
import { judgeNamespace } from "../../../../provider/lifecycle/prerequisites/namespace";
import {
    asRules,
    type GrantedRule,
    isGranted,
    permissionsNeeded,
    type UpdateKind,
} from "../../../../provider/lifecycle/prerequisites/permissionsNeeded";
import { permissionsOf } from "../../../../topology/permissions";
import { repeats } from "../../../support/repeats";

describe("a namespace before the first deployment", () => {
    it("that is missing is refused where nothing could create it first: the update would fail half way", () => {
        const { refused } = judgeNamespace("shop", "missing", "nobody");
        assert.equal(refused?.property, "metadata.namespace");
        repeats(refused?.reason, "found shop", "kubectl create namespace shop");
    });

    it("that is missing is only a warning where something that the cluster depends on may create it", () => {
        const { refused, warning } = judgeNamespace("shop", "missing", "maybe");
        assert.equal(refused, undefined);
        repeats(warning, "shop");
    });

    it("that the program creates is nothing to talk about", () => {
        assert.deepEqual(judgeNamespace("shop", "missing", "program"), {});
    });

    it("that is being deleted is refused, whoever made it", () => {
        for (const maker of ["program", "maybe", "nobody"] as const) {
            repeats(judgeNamespace("shop", "terminating", maker).refused?.reason, "shop");
        }
    });

    it("that exists, or that nobody may read, is let through", () => {
        assert.deepEqual(judgeNamespace("shop", "active", "nobody"), {});
        assert.deepEqual(judgeNamespace("shop", { notKnown: "403" }, "nobody"), {});
    });
});

describe("the permissions that an update needs", () => {
    const none: UpdateKind = { isFirst: false, stopsPods: false, changesReplicas: false, suspends: false, traits: [] };
    const needed = (kind: Partial<UpdateKind>) =>
        permissionsNeeded(permissionsOf("basic"), { ...none, ...kind }).map(
            ({ verb, resource, name }) => `${verb} ${resource}${name === undefined ? "" : ` ${name}`}`,
        );

    it("include to patch claims in every update: gates record on them which version used them", () => {
        assert.ok(needed({}).includes("patch persistentvolumeclaims"));
        assert.ok(needed({ isFirst: true }).includes("patch persistentvolumeclaims"));
    });

    for (const [permission, needing, without] of [
        ["delete pods", { stopsPods: true }, {}],
        ["patch pods", { stopsPods: true, traits: ["ticdc"] }, { stopsPods: true }],
        ["patch pods", { stopsPods: true, traits: ["ticdc"] }, { traits: ["ticdc"] }],
        ["delete persistentvolumeclaims", { changesReplicas: true }, { stopsPods: true }],
        ["delete configmaps", {}, { isFirst: true }],
        ["patch persistentvolumes", { traits: ["reclaim-policy"] }, {}],
        ["get secrets basic-cluster-client-secret", { traits: ["tls"] }, {}],
        ["create roles", { traits: ["discovery"] }, {}],
        ["create rolebindings", { traits: ["discovery"] }, {}],
        ["create serviceaccounts", { traits: ["discovery"] }, {}],
        ["create deployments", { traits: ["discovery"] }, {}],
        ["list replicasets", { traits: ["discovery"] }, {}],
        ["create secrets", { traits: ["password"] }, { traits: ["tls"] }],
        ["patch secrets basic-init", { traits: ["password"] }, {}],
    ] as [string, Partial<UpdateKind>, Partial<UpdateKind>][]) {
        it(`include to ${permission} with ${JSON.stringify(needing)} and not with ${JSON.stringify(without)}`, () => {
            assert.ok(needed(needing).includes(permission));
            assert.ok(!needed(without).includes(permission));
        });
    }

    it("include to delete StatefulSets for the gates only where they suspend a member", () => {
        const deletes = (kind: Partial<UpdateKind>) =>
            permissionsNeeded(permissionsOf("basic"), { ...none, ...kind }).filter(
                ({ resource, verb, byGates }) => resource === "statefulsets" && verb === "delete" && byGates,
            ).length;
        assert.deepEqual([deletes({ suspends: true }), deletes({ stopsPods: true, changesReplicas: true })], [1, 0]);
    });

    it("always include what every plan and every step reads and locks", () => {
        for (const permission of ["get leases", "patch leases", "list pods", "create pods/portforward"]) {
            assert.ok(needed({ isFirst: true }).includes(permission), permission);
        }
    });
});

describe("a rule of RBAC", () => {
    const [forward] = permissionsOf("basic").filter(({ resource }) => resource === "pods/portforward");
    const [secret] = permissionsOf("basic").filter(({ name }) => name === "basic-init");
    const [pods] = permissionsOf("basic").filter(({ resource, verb }) => resource === "pods" && verb === "delete");
    const rule = (more: Partial<GrantedRule>): GrantedRule => ({
        apiGroups: [""],
        resources: ["pods"],
        verbs: ["*"],
        ...more,
    });
    for (const [name, permission, granted, expected] of [
        ["for everything", pods, rule({ apiGroups: ["*"], resources: ["*"] }), true],
        ["for the verb", pods, rule({ verbs: ["get", "delete"] }), true],
        ["for another verb", pods, rule({ verbs: ["get"] }), false],
        ["for another group", pods, rule({ apiGroups: ["apps"] }), false],
        ["for one pod", pods, rule({ resourceNames: ["basic-pd-0"] }), false],
        ["for pods", forward, rule({}), false],
        ["for the subresource", forward, rule({ resources: ["pods/portforward"] }), true],
        ["for this subresource of anything", forward, rule({ resources: ["*/portforward"] }), true],
        ["for another subresource", forward, rule({ resources: ["pods/log"] }), false],
        ["for this Secret", secret, rule({ resources: ["secrets"], resourceNames: ["basic-init"] }), true],
        ["for another Secret", secret, rule({ resources: ["secrets"], resourceNames: ["other"] }), false],
        ["for all Secrets", secret, rule({ resources: ["secrets"] }), true],
        ["without resources", pods, { verbs: ["*"] }, false],
    ] as const) {
        it(`${name} ${expected ? "grants" : "does not grant"} to ${permission.verb} ${permission.resource}`, () => {
            assert.equal(isGranted(permission, [granted]), expected);
        });
    }

    it("is shown as it is written into a Role, one line for each kind of object", () => {
        assert.deepEqual(asRules([pods, { ...pods, verb: "patch" }, secret]), [
            '- { apiGroups: [""], resources: [pods], verbs: [delete, patch] }',
            '- { apiGroups: [""], resources: [secrets], resourceNames: [basic-init], verbs: [get] }',
        ]);
    });
});
