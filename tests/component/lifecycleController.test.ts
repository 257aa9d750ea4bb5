import * as assert from "node:assert/strict";
import { LifecycleController, type LifecycleControllerArgs } from "../../index";
import { pinnedWords, refusalOf } from "../support/pinned";
import { patienceMilliseconds, type ProgramRun, runProgram } from "./mockProgram";

const image = "registry.example/pulumi-tidb:0.1.0";
const run = (more: Partial<LifecycleControllerArgs> = {}): Promise<ProgramRun<unknown>> =>
    runProgram(() => new LifecycleController("watcher", { namespace: "tidb-admin", image, ...more }), {
        preview: true,
    });

describe("component: LifecycleController", function () {
    this.timeout(patienceMilliseconds);

    it("is a Deployment that watches the clusters of its own namespace", async () => {
        const { find } = await run();
        const { metadata, spec } = find("Deployment", "watcher").inputs;
        assert.deepEqual([metadata.namespace, spec.replicas], ["tidb-admin", 1]);
        const [container] = spec.template.spec.containers;
        assert.equal(container.image, image);
        assert.deepEqual(
            [...container.command, ...container.args].join(" "),
            "pulumi-tidb controller run --namespace tidb-admin --lease-namespace tidb-admin --lease-name watcher-leader --act failover --interval 10 --listen 0.0.0.0:8080",
        );
        assert.equal(container.livenessProbe.httpGet.path, "/healthz");
        assert.equal(container.readinessProbe.httpGet.path, "/readyz");
        assert.deepEqual(find("Service", "watcher").inputs.spec.selector, spec.selector.matchLabels);
        assert.deepEqual(spec.template.metadata.labels, spec.selector.matchLabels);
    });

    it("runs without root, without privileges and without a writable disk", async () => {
        const pod = (await run()).find("Deployment", "watcher").inputs.spec.template.spec;
        assert.equal(pod.securityContext.runAsNonRoot, true);
        assert.deepEqual(pod.containers[0].securityContext, {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
        });
    });

    it("reads nodes by a ClusterRole, which a failover and a drain need", async () => {
        const { find, resources } = await run();
        const role = find("ClusterRole", "watcher-nodes").inputs;
        assert.deepEqual(role.rules, [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"] }]);
        const { subjects, roleRef } = find("ClusterRoleBinding", "watcher-nodes").inputs;
        assert.deepEqual(subjects, [{ kind: "ServiceAccount", name: "watcher", namespace: "tidb-admin" }]);
        assert.deepEqual([role.metadata.name, roleRef.name], ["tidb-admin-watcher-nodes", "tidb-admin-watcher-nodes"]);
        assert.ok(resources.some(({ type }) => type.endsWith(":ClusterRole")));
        const sweeping = await run({ act: ["sweep"] });
        assert.ok(!sweeping.resources.some(({ type }) => type.endsWith(":ClusterRole")));
    });

    it("has a Role in each namespace of clusters, which lets it write nothing unless it may act", async () => {
        const verbsOf = (found: ProgramRun<unknown>, role: string): string[] => [
            ...new Set(
                (found.find("Role", role).inputs.rules as { verbs: string[]; resources: string[] }[])
                    .filter(({ resources }) => !resources.includes("pods/portforward"))
                    .flatMap(({ verbs }) => verbs)
                    .sort(),
            ),
        ];
        const watching = await run({ clusterNamespaces: ["blue", "green"], act: [] });
        for (const namespace of ["blue", "green"]) {
            const role = watching.find("Role", `watcher-${namespace}`);
            assert.equal(role.inputs.metadata.namespace, namespace);
            assert.deepEqual(verbsOf(watching, `watcher-${namespace}`), ["get", "list"]);
            const { subjects, roleRef } = watching.find("RoleBinding", `watcher-${namespace}`).inputs;
            assert.deepEqual(subjects, [{ kind: "ServiceAccount", name: "watcher", namespace: "tidb-admin" }]);
            assert.equal(roleRef.name, role.inputs.metadata.name);
        }
        const sweeping = await run({ act: ["sweep"] });
        assert.deepEqual(verbsOf(sweeping, "watcher-clusters"), ["create", "get", "list", "patch"]);
        const failingOver = await run({ act: ["failover"] });
        assert.deepEqual(verbsOf(failingOver, "watcher-clusters"), ["create", "delete", "get", "list", "patch"]);
    });

    it("may write only its own Lease in its own namespace", async () => {
        const { rules } = (await run()).find("Role", "watcher-leader").inputs;
        assert.deepEqual(
            rules.filter(({ verbs }: { verbs: string[] }) => verbs.includes("patch")),
            [
                {
                    apiGroups: ["coordination.k8s.io"],
                    resources: ["leases"],
                    resourceNames: ["watcher-leader"],
                    verbs: ["get", "patch"],
                },
            ],
        );
    });

    it("may read the client certificates of the clusters that are named, and of no others", async () => {
        const found = await run({ clusterNamespaces: ["blue", "green"], tlsClusters: { blue: ["main"] } });
        const secretsOf = (role: string) =>
            (found.find("Role", role).inputs.rules as { resources: string[] }[]).filter(({ resources }) =>
                resources.includes("secrets"),
            );
        assert.deepEqual(secretsOf("watcher-blue"), [
            { apiGroups: [""], resources: ["secrets"], resourceNames: ["main-cluster-client-secret"], verbs: ["get"] },
        ]);
        assert.deepEqual(secretsOf("watcher-green"), []);
    });

    it("may read the members' own certificates only if it is to tell when they expire", async () => {
        const { find } = await run({ tlsClusters: { "tidb-admin": ["main"] }, watchCertificates: true });
        const rules = find("Role", "watcher-clusters").inputs.rules as {
            resources: string[];
            resourceNames: string[];
        }[];
        const [{ resourceNames }] = rules.filter(({ resources }) => resources.includes("secrets"));
        assert.deepEqual(resourceNames.filter((name) => /^main-(pd|tikv|tidb|cluster)-/.test(name)).sort(), [
            "main-cluster-client-secret",
            "main-pd-cluster-secret",
            "main-tidb-client-secret",
            "main-tidb-cluster-secret",
            "main-tidb-server-secret",
            "main-tikv-cluster-secret",
        ]);
    });

    it("looks after the named clusters of a namespace alone, and its Role there names their objects", async () => {
        const { find } = await run({ clusterNamespaces: ["blue", "green"], clusters: { blue: ["main", "other"] } });
        const [{ args }] = find("Deployment", "watcher").inputs.spec.template.spec.containers;
        assert.ok(
            args.join(" ").includes("--namespace green --cluster blue/main --cluster blue/other --lease-namespace"),
        );
        const journals = (role: string) =>
            (find("Role", role).inputs.rules as { resources: string[]; resourceNames?: string[]; verbs: string[] }[])
                .filter(({ resources, verbs }) => resources.includes("configmaps") && verbs.includes("patch"))
                .map(({ resourceNames }) => resourceNames);
        assert.deepEqual(journals("watcher-blue"), [["main-journal", "other-journal"]]);
        assert.deepEqual(journals("watcher-green"), [undefined]);
    });

    const refused: [field: string, args: Partial<LifecycleControllerArgs>][] = [
        ["intervalSeconds", { intervalSeconds: 0 }],
        ["clusterNamespaces", { clusterNamespaces: [] }],
        ["tlsClusters", { clusterNamespaces: ["blue"], tlsClusters: { red: ["main"] } }],
        ["clusters", { clusterNamespaces: ["blue"], clusters: { red: ["main"] } }],
        ["clusters", { clusters: { red: ["main"] } }],
        ["clusters.blue", { clusterNamespaces: ["blue"], clusters: { blue: [] } }],
        [
            "tlsClusters.blue",
            { clusterNamespaces: ["blue"], clusters: { blue: ["main"] }, tlsClusters: { blue: ["mian"] } },
        ],
    ];
    for (const [field, args] of refused) {
        it(`refuses ${JSON.stringify(args)}`, () =>
            assert.rejects(run(args), ({ message }: Error) => message.includes(` watcher: ${field}: found `)));
    }
    pinnedWords(
        "lifecycle-controller",
        Object.fromEntries(refused.map(([, args]) => [JSON.stringify(args), refusalOf(() => run(args))])),
    );
});
