import * as assert from "node:assert/strict";
import { status, type StatusOptions } from "../../../bin/statusCommand";
import { commandLine } from "../../../bin/pulumi-tidb";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { DeployedCluster } from "../../../provider/cluster/deployedCluster";
import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import { unknownPd } from "../../../provider/lifecycle/vocabulary/observation";
import { readOnlyWorld } from "../../../provider/gates/readOnlyWorld";
import type { StatusDocument } from "../../../status/clusterStatus";
import type { StatusSources } from "../../../status/statusSources";
import { pinnedWords } from "../../support/pinned";
import { changePorts, type ClusterWorld, clusterWorld } from "../gates/clusterWorld";

interface Run {
    world?: Partial<ClusterWorld>;
    deployed?: Partial<DeployedCluster> | null;
    options?: Partial<StatusOptions>;
    pdSilent?: boolean;
}

async function run({ world: more, deployed, options, pdSilent }: Run = {}) {
    const world = clusterWorld({ live: { pd: {}, tikv: { live: 3 }, tidb: {} }, ...more });
    changePorts(world, ({ look }) => ({
        look: async (asked) => {
            const seen = await look(asked);
            // The world's stores are those of the first member that is asked for: here TiKV's.
            const pd =
                asked.pd.length === 0 || pdSilent
                    ? unknownPd(pdSilent ? { known: false, why: "PD is silent" } : notAsked)
                    : seen.pd;
            return { ...seen, pd, pdClusterId: undefined };
        },
    }));
    const opened: object[] = [];
    const { open } = world;
    world.open = (inputs, use) => {
        opened.push({ pd: inputs.pd, use });
        return open(inputs, use);
    };
    const sources: StatusSources = {
        world: readOnlyWorld(world, "effect"),
        kubernetes: { context: "prod", server: "https://k8s.example:6443" },
        schedules: () => Promise.resolve({ known: true as const, value: [] }),
        jobs: () => Promise.resolve({ known: true as const, value: [] }),
        jobPods: () => Promise.reject(new Error("a status diagnoses nothing")),
        deployed: (namespace, cluster) =>
            Promise.resolve(
                deployed === null
                    ? undefined
                    : {
                          id: { namespace, cluster, instance: cluster },
                          pd: { namespace, cluster, instance: cluster, tls: false },
                          tls: false,
                          components: ["pd", "tikv", "tidb"],
                          discovery: undefined,
                          ...deployed,
                      },
            ),
    };
    const given = { namespace: "tidb", output: "json", interval: 5, ...options } as const;
    const result = await status("basic", given, sources);
    const document = result.output.startsWith("{") ? (JSON.parse(result.output) as StatusDocument) : undefined;
    return { ...result, document, world, opened };
}

describe("pulumi-tidb status", () => {
    it("prints a versioned document for programs, and ends with 0 if everything is known", async () => {
        const { document, errors, exitCode, world } = await run({
            world: { lease: { ...clusterWorld().lease!, members: undefined } },
        });
        assert.deepEqual([exitCode, errors], [0, ""]);
        assert.deepEqual(
            [document?.apiVersion, document?.kind, document?.name],
            ["pulumi-tidb.io/v1", "ClusterStatus", "basic"],
        );
        assert.deepEqual(world.done, [], "nothing is changed, and no lock is taken");
    });

    it("asks for what it shows: no zones for the text, which does not show them", async () => {
        const ofStores = ["stores", "tombstones", "placement", "evicted-stores"];
        const parts = ["health", "leader", ...ofStores, "log-backups", "cluster-id"];
        const zones = async (output: StatusOptions["output"]) => {
            const { world } = await run({ options: { output } });
            assert.equal(world.looks.length, 1);
            const [{ pd, components, status: pages }] = world.looks;
            assert.deepEqual([...pd].sort(), [...parts].sort());
            assert.deepEqual([components, pages], [["pd", "tikv", "tidb"], ["tidb"]]);
            return world.looks[0].zones ?? false;
        };
        assert.deepEqual([await zones("text"), await zones("json"), await zones("html")], [false, true, true]);
    });

    it("ends with 3 and one line if something is not known, and prints the rest", async () => {
        const { document, errors, exitCode } = await run({ pdSilent: true, options: { detailedExitcode: true } });
        assert.equal(exitCode, 3);
        assert.equal(errors.split("\n").length, 1 + 1);
        assert.deepEqual(document?.stores, { known: false, why: "PD is silent" });
        assert.equal(document?.members[0].pods.length, 3);
    });

    it("ends with 2 for a cluster that is not Ready if it is asked to", async () => {
        const stale = { live: { pd: { stale: [1] }, tikv: { live: 3 }, tidb: {} } };
        const codes = [
            (await run({ world: stale })).exitCode,
            (await run({ world: stale, options: { detailedExitcode: true } })).exitCode,
        ];
        assert.deepEqual(codes, [0, 2]);
    });

    it("ends with 1 and the way out if there is no such cluster, or no API server", async () => {
        const none = await run({ deployed: null });
        assert.deepEqual([none.output, none.exitCode], ["", 1]);
        const away = await run({
            world: { failure: new KubernetesApiError("could not reach the API server", undefined) },
        });
        assert.deepEqual([away.output, away.exitCode], ["", 1]);
    });

    const reached: [title: string, given: Run, pd: object][] = [
        ["where its objects say", {}, { namespace: "tidb", cluster: "basic", instance: "basic", tls: false }],
        [
            "at --pd-address",
            { options: { pdAddress: "http://pd:2379" } },
            { namespace: "tidb", cluster: "basic", instance: "basic", tls: false, address: "http://pd:2379" },
        ],
        [
            "in another namespace with --pd-cluster",
            { deployed: { pd: undefined, tls: true }, options: { pdCluster: "other/main" } },
            { namespace: "other", cluster: "main", instance: "main", tls: true },
        ],
        [
            "in its own namespace with --pd-cluster",
            { deployed: { pd: undefined }, options: { pdCluster: "main" } },
            { namespace: "tidb", cluster: "main", instance: "main", tls: false },
        ],
    ];
    for (const [title, given, pd] of reached) {
        it(`asks PD ${title}`, async () => assert.deepEqual((await run(given)).opened, [{ pd, use: "effect" }]));
    }

    it("does not ask a PD that nobody names, and says how to name it", async () => {
        const { world, document, exitCode } = await run({ deployed: { pd: undefined } });
        assert.deepEqual([world.looks[0].pd, exitCode], [[], 3]);
        assert.ok(document?.notKnown[0].endsWith("pass --pd-cluster"));
    });

    it("says of a cluster with nothing but its Lease that nothing is deployed yet, and not where PD would be", async () => {
        const only = { pd: undefined, components: [], discovery: undefined };
        const world = { live: {}, lease: { ...clusterWorld().lease!, owner: undefined, members: undefined } };
        const { document, exitCode } = await run({ world, deployed: only });
        assert.equal(exitCode, 3);
        const [{ status: ready, message }] = document!.conditions;
        assert.equal(ready, "False");
        assert.deepEqual(
            document?.notKnown.map((line) => line.endsWith(message)),
            [true],
        );
    });

    const words = (given: Run) => async () => {
        const { output, errors } = await run({ ...given, options: { output: "text" } });
        return `${output}${errors}`;
    };
    pinnedWords("status-command", {
        "there is no such cluster": words({ deployed: null }),
        "the API server does not answer": words({
            world: { failure: new KubernetesApiError("could not reach the API server", undefined) },
        }),
        "PD does not answer": words({ pdSilent: true }),
        "PD's address is not known": words({ deployed: { pd: undefined } }),
        "only the Lease exists": words({
            world: { live: {}, lease: { ...clusterWorld().lease!, owner: undefined, members: undefined } },
            deployed: { pd: undefined, components: [], discovery: undefined },
        }),
    });

    it("tells programs which members are suspended", async () => {
        const members = { pd: { replicas: 3 }, tikv: { replicas: 3 }, tidb: { replicas: 2, suspended: true as const } };
        const live = { pd: {}, tikv: { live: 3 }, tidb: { suspended: true } };
        const { document } = await run({ world: { live, lease: { ...clusterWorld().lease!, members } } });
        const [pd, , tidb] = document?.members ?? [];
        assert.deepEqual([pd.isSuspended, tidb.isSuspended, tidb.replicas], [false, true, null]);
    });

    for (const [option, value] of [
        ["--interval", "0"],
        ["--interval", "1.5"],
        ["--pd-cluster", "a/b/c"],
        ["--pd-address", "localhost:2379"],
        ["--output", "yaml"],
    ] as const) {
        it(`refuses ${option} ${value}`, async () => {
            const program = commandLine().exitOverride();
            const command = program.commands.find((one) => one.name() === "status");
            command?.exitOverride().configureOutput({ writeErr: () => undefined });
            await assert.rejects(program.parseAsync(["status", "basic", option, value], { from: "user" }), {
                code: "commander.invalidArgument",
            });
        });
    }
});
