import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { type ControllerActionKind, controllerRules, nodeRules } from "../../../topology/controllerPermissions";
import {
    clusterDiagnosisRules,
    diagnosisPermissionsOf,
    jobPermissions,
    lostNodesRules,
    type Permission,
    permissionsOf,
    schedulePermissions,
    scheduleStatusPermissions,
    statusPermissionsOf,
} from "../../../topology/permissions";

const repository = path.resolve(__dirname, "../../..");

interface Role {
    kind: string;
    metadata: { name: string };
    rules: { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] }[];
}

/** The Role of this name that the documentation shows, wherever it is. */
function documentedRole(name: string, kind: string): Role {
    const docs = readdirSync(path.join(repository, "docs"), { recursive: true, encoding: "utf8" });
    const pages = ["README.md", ...docs.map((page) => path.join("docs", page))].filter((page) => page.endsWith(".md"));
    const blocks = pages.flatMap((page) =>
        [...readFileSync(path.join(repository, page), "utf8").matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text),
    );
    const roles = blocks
        .filter(
            (text) =>
                new RegExp(`^kind: ${kind}$`, "m").test(text) && new RegExp(`^ {2}name: ${name}$`, "m").test(text),
        )
        .map((text) => parse(text) as Role);
    assert.equal(roles.length, 1, `one ${kind} named ${name} is documented`);
    return roles[0];
}

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
        const inNamespace = permissionsOf("mine").filter(({ isClusterWide }) => !isClusterWide);
        assert.deepEqual(inLines(inNamespace), documented("pulumi-tidb"));
    });

    it("are beyond the namespace those of the documented ClusterRole", () => {
        const clusterWide = permissionsOf("mine").filter(({ isClusterWide }) => isClusterWide);
        assert.deepEqual(inLines(clusterWide), documented("pulumi-tidb-volumes", "ClusterRole"));
        assert.ok(clusterWide.every(({ trait }) => trait !== undefined));
    });
});

describe("the permissions of a component that runs a Job", () => {
    it("are those of the documented Role", () => {
        assert.deepEqual(inLines(jobPermissions), documented("pulumi-tidb-jobs"));
    });
});

describe("the permissions of a BackupSchedule", () => {
    it("are those of the documented Role", () => {
        assert.deepEqual(inLines(schedulePermissions), documented("pulumi-tidb-schedules"));
    });
    it("to look at its status are those of the documented Role", () => {
        assert.deepEqual(inLines(scheduleStatusPermissions), documented("pulumi-tidb-schedules-status"));
    });
});

describe("the permissions of a user who only looks at a cluster's status", () => {
    it("are those of the documented Role, for the cluster `mine`", () => {
        assert.deepEqual(inLines(statusPermissionsOf("mine")), documented("pulumi-tidb-status"));
    });

    it("are among those of a user who deploys it, with whom nothing more must be granted", () => {
        const all = inLines(permissionsOf("mine"));
        // A permission for every object includes that for one.
        const isGranted = (line: string) => all.includes(line) || all.includes(line.replace(/ \S+ (\S+)$/, "  $1"));
        assert.deepEqual(
            inLines(statusPermissionsOf("mine")).filter((line) => !isGranted(line)),
            [],
        );
    });
});

describe("the permissions to give up volumes on nodes that are gone", () => {
    it("are those of the documented ClusterRole", () => {
        assert.deepEqual(inLines(lostNodesRules), documented("pulumi-tidb-lost-nodes", "ClusterRole"));
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
    it("is for growth the class of a volume, besides what else the controller does", () => {
        assert.deepEqual(lines(["grow"]), ["storage.k8s.io storageclasses  get"]);
        assert.deepEqual(lines(["failover", "grow"]), [...lines(["failover"]), ...lines(["grow"])]);
        assert.deepEqual(lines(["drain", "grow"]), [...lines(["drain"]), ...lines(["grow"])].sort());
    });
    it("comes with the deletion of pods, and the claims that they mount", () => {
        const verbsOf = (resource: string, acts: readonly ControllerActionKind[]) =>
            controllerRules(acts).find(({ resources }) => resources.includes(resource))?.verbs;
        assert.deepEqual(verbsOf("pods", ["drain"]), ["get", "list", "delete"]);
        assert.deepEqual(verbsOf("persistentvolumeclaims", ["drain"]), ["get", "list"]);
        assert.deepEqual(verbsOf("persistentvolumeclaims", ["grow"]), ["list", "patch"]);
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
    const everything: readonly ControllerActionKind[] = ["failover", "drain", "grow", "sweep"];

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
                "persistentvolumeclaims: get,list,patch,delete",
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

describe("the permissions with which a diagnosis finds every cause", () => {
    it("are those of the documented Role, for the cluster `mine`", () => {
        assert.deepEqual(inLines(diagnosisPermissionsOf("mine")), documented("pulumi-tidb-diagnosis"));
    });

    it("are those of the documented ClusterRole", () => {
        assert.deepEqual(inLines(clusterDiagnosisRules), documented("pulumi-tidb-diagnosis", "ClusterRole"));
    });
});
