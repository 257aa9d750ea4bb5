import * as assert from "node:assert/strict";
import { certificateSecretNames } from "../../../topology/certificateSecrets";
import { type ControllerActionKind, controllerRules, nodeRules } from "../../../topology/controllerPermissions";
import { components, topology } from "../../../topology/members";
import { memberSecretName } from "../../../topology/names";
import { type Permission, permissionsOf } from "../../../topology/permissions";
import { documentedRole } from "../../support/documentedRole";

/** One line for each permission, sorted. */
function inLines(permissions: readonly Pick<Permission, "apiGroup" | "resource" | "name" | "verb">[]): string[] {
    const lines = permissions.map(({ apiGroup, resource, name = "", verb }) =>
        [apiGroup, resource, name, verb].join(" "),
    );
    return [...new Set(lines)].sort();
}

function documented(role: string, kind = "Role"): string[] {
    const lines = documentedRole(role, kind).rules.flatMap(({ apiGroups, resources, resourceNames = [""], verbs }) =>
        apiGroups.flatMap((group) =>
            resources.flatMap((resource) =>
                resourceNames.flatMap((name) => verbs.map((verb) => [group, resource, name, verb].join(" "))),
            ),
        ),
    );
    return [...new Set(lines)].sort();
}

describe("the permissions that a preview checks", () => {
    it("are those of the documented Role, for the cluster `mine`", () => {
        assert.deepEqual(inLines(permissionsOf("mine")), documented("pulumi-tidb"));
    });
});

describe("the permissions of a user who only looks at a cluster's status", () => {
    it("are among those of a user who deploys it, with whom nothing more must be granted", () => {
        const all = inLines(permissionsOf("mine"));
        // A permission for every object includes that for one.
        const isGranted = (line: string) => all.includes(line) || all.includes(line.replace(/ \S+ (\S+)$/, "  $1"));
        assert.deepEqual(
            documented("pulumi-tidb-status").filter((line) => !isGranted(line)),
            [],
        );
    });
});

describe("what the controller may read of nodes", () => {
    const lines = (acts: readonly ControllerActionKind[]) =>
        inLines(
            nodeRules(acts).flatMap(({ apiGroups: [apiGroup], resources, verbs }) =>
                resources.flatMap((resource) => verbs.map((verb) => ({ apiGroup, resource, verb }))),
            ),
        );
    it("is for a drain what the documented ClusterRole says, which the gates of an update need too", () => {
        assert.deepEqual(lines(["drain"]), documented("pulumi-tidb-drain", "ClusterRole"));
        assert.deepEqual(lines(["drain", "failover"]), lines(["drain"]));
    });
    it("is for a failover only the node itself, and nothing for a sweep", () => {
        assert.deepEqual(lines(["failover"]), documented("pulumi-tidb-nodes", "ClusterRole"));
        assert.deepEqual(lines(["sweep"]), []);
    });
    it("comes with the deletion of pods, and the claims that they mount", () => {
        const verbsOf = (resource: string, acts: readonly ControllerActionKind[]) =>
            controllerRules(acts).find(({ resources }) => resources.includes(resource))?.verbs;
        assert.deepEqual(verbsOf("pods", ["drain"]), ["get", "list", "delete"]);
        assert.deepEqual(verbsOf("persistentvolumeclaims", ["drain"]), ["get", "list"]);
        assert.deepEqual(verbsOf("persistentvolumeclaims", []), ["list"]);
    });
});

describe("what the controller may do in a namespace of clusters", () => {
    const lines = (acts: readonly ControllerActionKind[], clusters?: readonly string[]) =>
        inLines(
            controllerRules(acts, clusters).flatMap(({ apiGroups, resources, resourceNames = [undefined], verbs }) =>
                resources.flatMap((resource) =>
                    resourceNames.flatMap((name) =>
                        verbs.map((verb) => ({ apiGroup: apiGroups[0], resource, verb, ...(name && { name }) })),
                    ),
                ),
            ),
        );
    const everything: readonly ControllerActionKind[] = ["failover", "drain", "sweep"];

    it("is what the documented Role says, for a failover of the cluster `mine`", () => {
        assert.deepEqual(lines(["failover"], ["mine"]), documented("tidb-controller"));
    });

    it("never lets it write a pod template, with which it could read every Secret; a failover changes the number alone", () => {
        for (const acts of [everything, ["failover"], ["drain"], ["sweep"], []] as const) {
            const found = lines(acts).filter((line) => line.startsWith("apps "));
            const scales = found.filter((line) => line.startsWith("apps statefulsets/scale "));
            assert.deepEqual(scales, acts.some((one) => one === "failover") ? ["apps statefulsets/scale  patch"] : []);
            assert.deepEqual(
                found.filter((line) => !scales.includes(line) && !line.endsWith(" get")),
                [],
            );
        }
    });

    it("names the objects of the clusters that it looks after: no start script of another one can be rewritten", () => {
        const named = controllerRules(everything, ["blue", "green"]);
        const unnamed = named.filter(({ resourceNames }) => resourceNames === undefined);
        assert.deepEqual(
            unnamed.map(({ resources, verbs }) => `${resources.join()}: ${verbs.join()}`),
            [
                "leases: list",
                "pods: get,list,patch,delete",
                "persistentvolumeclaims: get,list,delete",
                "pods/portforward: get,create",
                "configmaps: create",
                "events: create",
            ],
        );
        for (const { resourceNames, verbs } of named.filter((one) => !unnamed.includes(one))) {
            assert.ok(resourceNames?.length && verbs.every((verb) => verb === "get" || verb === "patch"));
            assert.ok(resourceNames.every((name) => /^(blue|green)-/.test(name)));
        }
        // All that it may do where no cluster is named, it may do of those that are.
        const bare = (all: string[]) => [...new Set(all.map((line) => line.replace(/ \S* (\S+)$/, " $1")))].sort();
        assert.deepEqual(bare(lines(everything, ["blue"])), bare(lines(everything)));
    });
});

describe("the documented Role of a user who diagnoses a cluster", () => {
    it("lets it read each certificate of the cluster", () => {
        const ofParts = components
            .filter((component) => topology[component].partOf !== undefined)
            .map((component) => memberSecretName("mine", component));
        const expected = certificateSecretNames("mine").filter((name) => !ofParts.includes(name));
        const { rules } = documentedRole("pulumi-tidb-diagnosis");
        const [secrets, ...others] = rules.filter(({ resources }) => resources.includes("secrets"));
        assert.deepEqual([[...(secrets.resourceNames ?? [])].sort(), others], [expected.sort(), []]);
    });
});
