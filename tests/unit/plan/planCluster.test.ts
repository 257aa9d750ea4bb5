import assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { checkManifest } from "../../../components/checkManifest";
import type { TidbClusterManifest } from "../../../components/spec";
import { planCluster } from "../../../plan/planCluster";
import { readOnlyWorld } from "../../../provider/gates/readOnlyWorld";
import { claimOf } from "../../support/lifecycle/observations";
import { clusterWorld, leaseOf, other, owner, told } from "../gates/clusterWorld";
import { basic, planOf, planOfFile } from "./livePlan";
import { codesOf, repeats } from "../../support/repeats";

const texts = ({ entries }: Awaited<ReturnType<typeof planOf>>): string[] =>
    entries.map(({ gate, text }) => `${gate}: ${text}`);

describe("the plan of a file", () => {
    it("is empty if the live cluster matches the file", async () => {
        const plan = await planOf(basic());
        assert.deepEqual(plan, {
            name: "basic",
            namespace: "tidb",
            kubernetes: { context: "current", server: "https://k8s.example:6443" },
            isDeployed: true,
            isPaused: false,
            owner: { stack: owner.stack, urn: owner.urn },
            refusals: [],
            deferred: [],
            warnings: [],
            remarks: [],
            risks: [],
            entries: [],
            estimateSeconds: 0,
            estimate: null,
        });
    });

    it("restarts each pod whose template changes, PD's first, with steps as data and text", async () => {
        const plan = await planOf(basic({ version: "v8.5.4" }));
        const restarts = plan.entries.filter(({ step }) => step?.kind === "restart");
        assert.deepEqual(
            restarts.map(({ component }) => component),
            [...Array<string>(3).fill("pd"), ...Array<string>(4).fill("tikv"), ...Array<string>(2).fill("tidb")],
        );
        assert.equal(new Set(restarts.map(({ step }) => step?.target)).size, 9);
        assert.deepEqual(
            [...new Set(plan.entries.map(({ gate }) => gate))].filter((gate) => gate.endsWith("rollout")),
            ["pd-rollout", "tikv-rollout", "tidb-rollout"],
        );
        assert.equal(
            plan.estimateSeconds,
            plan.entries.reduce((sum, { step }) => sum + (step?.estimateSeconds ?? 0), 0),
        );
        assert.ok(plan.estimateSeconds > 0);
    });

    it("sets a number of replicas again that somebody has changed by hand, as a preview does: the Lease has the program's", async () => {
        for (const [live, expected] of [
            [1, ["tidb-scale task ", "tidb-rollout step basic-tidb-1"]],
            [4, ["tidb-scale step basic-tidb-3", "tidb-scale step basic-tidb-2", "tidb-scale task "]],
        ] as const) {
            const world = { live: { pd: {}, tikv: {}, tidb: { live } } };
            const { entries } = await planOf(basic(), { world, scaledByHand: "tidb" });
            assert.deepEqual(
                entries.map(({ gate, type, step }) => [gate, type, step?.target].join(" ")),
                expected,
            );
        }
    });

    it("names the configuration keys that change, as read from the live ConfigMap", async () => {
        const configured = (size: number) =>
            basic({
                configUpdateStrategy: "RollingUpdate",
                tikv: { config: { raftstore: { "apply-pool-size": size }, "log-level": "secret-word" } },
            });
        const [before, after] = [configured(2), configured(3)];
        const { output, read } = await planOfFile(JSON.stringify(after), { deployed: before });
        assert.ok(output.includes("config of tikv: raftstore.apply-pool-size"));
        assert.ok(!output.includes("log-level") && !output.includes("secret-word"));
        assert.deepEqual(read, ["tidb/basic-pd", "tidb/basic-tikv", "tidb/basic-tidb"]);
    });

    it("says that pods restart because operations.rollout.online is new, as the name of the live ConfigMap tells", async () => {
        const of = (config: object, resources: object = {}) =>
            basic({ configUpdateStrategy: "RollingUpdate", tikv: { config, ...resources } });
        const pool = (size: number) => ({ raftstore: { "apply-pool-size": size } });
        const reasons = async (deployed: TidbClusterManifest, now: TidbClusterManifest, was?: object) => {
            const files = { "operations.json": JSON.stringify({ rollout: { online: true } }) };
            const given = { deployed, deployedWith: was, files, options: { operations: "operations.json" } };
            const { entries } = await planOf(now, given);
            return new Set(
                entries.flatMap(({ gate, step }) =>
                    gate === "tikv-rollout" && step?.kind === "restart" ? [step.why] : [],
                ),
            );
        };
        const why = "switching operations.rollout.online on restarts pods once";
        assert.deepEqual(await reasons(of(pool(2)), of(pool(2))), new Set([`new template; ${why}`]));
        assert.deepEqual(await reasons(of(pool(2)), of(pool(4))), new Set([`new template and configuration; ${why}`]));
        const more = { limits: { memory: "8Gi" } };
        const online = { rollout: { online: true } };
        assert.deepEqual(await reasons(of(pool(2)), of(pool(2), more), online), new Set(["new template"]), "it was on");
        const other = { "log-file": "a" };
        assert.deepEqual(
            await reasons(of(other), of({ ...other, ...pool(2) }, more), online),
            new Set(["new template and configuration"]),
            "with a first setting that is set online",
        );
    });

    it("says that pods restart because configUpdateStrategy is another one, as the name of the live ConfigMap tells", async () => {
        const of = (configUpdateStrategy: "InPlace" | "RollingUpdate", tikv: object = {}) =>
            basic({ configUpdateStrategy, tikv: { config: { "log-file": "a" }, ...tikv } });
        const reasons = async (deployed: TidbClusterManifest, now: TidbClusterManifest) => {
            const { entries } = await planOf(now, { deployed });
            return new Set(entries.flatMap(({ step }) => (step?.kind === "restart" ? [step.why] : [])));
        };
        const why = (before: string) => `; switching configUpdateStrategy from ${before} restarts pods once`;
        const [inPlace, rolling] = [of("InPlace"), of("RollingUpdate")];
        assert.deepEqual(await reasons(inPlace, rolling), new Set([`new template${why("InPlace")}`]));
        assert.deepEqual(await reasons(rolling, inPlace), new Set([`new template${why("RollingUpdate")}`]));
        const other = { config: { "log-file": "b" } };
        assert.deepEqual(
            await reasons(inPlace, of("RollingUpdate", other)),
            new Set(["", " and configuration"].map((more) => `new template${more}${why("InPlace")}`)),
        );
        assert.deepEqual(
            await reasons(rolling, of("RollingUpdate", other)),
            new Set(["new template and configuration"]),
        );
        assert.deepEqual(await reasons(inPlace, of("InPlace", other)), new Set());
    });

    it("says to which port clients move when TiProxy is added, unless the program keeps them at TiDB", async () => {
        const sqlEndpoint = "basic-tidb.tidb.svc:4000";
        const world = { lease: leaseOf({ sqlEndpoint }) };
        const notes = async (operations?: string) => {
            const files = { "operations.yaml": operations ?? "" };
            const options = operations === undefined ? {} : { operations: "operations.yaml" };
            const plan = await planOf(basic({ tiproxy: { replicas: 1, version: "v1.3.0", config: "" } }), {
                world: { ...world },
                files,
                options,
            });
            return plan.entries.flatMap(({ gate, type, text }) =>
                gate === "cluster" && type === "note" ? [text] : [],
            );
        };
        assert.deepEqual(await notes(), [
            `the output sqlEndpoint changes from ${sqlEndpoint} to basic-tiproxy.tidb.svc:6000; to keep it, set operations.sqlEndpoint to "tidb"`,
        ]);
        assert.deepEqual(await notes("sqlEndpoint: tidb"), []);
    });

    it("is refused with the field, as in the preview", async () => {
        const { refusals, entries } = await planOf(basic({ tikv: { replicas: 2 } }));
        assert.deepEqual(
            refusals.map(({ gate }) => gate),
            ["tikv-scale"],
        );
        assert.ok(refusals[0].reason.startsWith("spec.tikv.replicas: "));
        assert.deepEqual(entries, []);
    });

    it("names the members of a remark, also if nothing else of the plan names them because it is refused", async () => {
        const each = Object.fromEntries([0, 1, 2, 3].map((ordinal) => [ordinal, { node: `node-${ordinal}` }]));
        const live = { pd: { pods: each }, tikv: { pods: each }, tidb: {} };
        const { refusals, remarks } = await planOf(basic({ version: "v8.5.4", tikv: { replicas: 2 } }), {
            world: { live },
        });
        assert.equal(refusals.length, 1);
        const ofSpread = remarks.filter(({ code }) => code === "spread-constraints");
        assert.equal(ofSpread.length, 1);
        repeats(ofSpread, "basic-pd, basic-tikv: ");
    });

    it("has no step of any gate if one refuses, because nothing is done", async () => {
        const upgraded = await planOf(basic({ tidb: { replicas: 1 } }));
        assert.ok(upgraded.entries.length > 0);
        const refused = await planOf(basic({ tikv: { replicas: 2 }, tidb: { replicas: 1 } }));
        assert.deepEqual([refused.entries, refused.estimateSeconds], [[], 0]);
    });

    it("refuses a member that left the file and must stay, according to the Lease", async () => {
        const manifest = basic();
        delete (manifest.spec as { tikv?: unknown }).tikv;
        const { refusals } = await planOf(manifest);
        assert.equal(refusals[0].gate, "cluster");
        assert.ok(refusals[0].reason.startsWith("spec.tikv: "));
    });

    it("is deferred if there is no Lease, because nothing is deployed", async () => {
        const plan = await planOf(basic(), { world: { lease: undefined, live: {} } });
        assert.equal(plan.isDeployed, false);
        assert.deepEqual(codesOf(plan.remarks), ["first-deployment"]);
        assert.equal(plan.owner, null);
        assert.deepEqual(codesOf(plan.deferred), ["first-deployment"]);
        assert.deepEqual(plan.deferred[0].gates, [
            "cluster",
            ...["pd", "tikv", "tidb"].flatMap((member) => [`${member}-scale`, `${member}-rollout`]),
            "ready",
        ]);
    });

    it("is refused if claims of an earlier cluster record a later version, and warns if they record none", async () => {
        const left = (version?: string) => ({
            tikv: { suspended: true, claims: [claimOf("tikv", 0, { version })] },
        });
        const refused = await planOf(basic(), { world: { lease: undefined, live: left("v9.1.0") } });
        assert.deepEqual(
            refused.refusals.map(({ gate }) => gate),
            ["cluster"],
        );
        assert.ok(refused.refusals[0].reason.includes("tikv-basic-tikv-0 was last used by v9.1.0"));
        const { refusals, warnings } = await planOf(basic(), { world: { lease: undefined, live: left() } });
        assert.deepEqual(refusals, []);
        assert.equal(warnings.filter(({ code }) => code === "version-not-compared").length, 1);
    });

    it("treats the cluster's owner as the stack that plans, and names it", async () => {
        const plan = await planOf(basic(), { world: { lease: leaseOf({ owner: other }) } });
        assert.deepEqual([plan.owner?.stack, plan.refusals], [other.stack, []]);
        const unowned = await planOf(basic(), { world: { lease: leaseOf({ owner: undefined }) } });
        assert.deepEqual(unowned.owner, null);
        assert.deepEqual(texts(unowned), ["cluster: record the stack that deploys it as the owner of the cluster"]);
    });

    it("says once what PD's silence leaves open, with the steps that are certain", async () => {
        const world = { live: { pd: { pdSilent: true }, tikv: { pdSilent: true }, tidb: { pdSilent: true } } };
        const plan = await planOf(basic({ version: "v8.5.4" }), { world });
        assert.deepEqual(codesOf(plan.deferred), ["pd-answers"]);
        assert.ok(plan.deferred[0].gates.includes("tikv-rollout"));
        assert.ok(plan.entries.some(({ type }) => type === "undecided step"));
    });

    it("withholds everything for a paused cluster, and refuses one that is not deployed yet", async () => {
        const paused = await planOf(basic({ version: "v8.5.4", paused: true }));
        assert.deepEqual([paused.entries, paused.refusals, paused.deferred], [[], [], []]);
        assert.equal(paused.isPaused, true);
        const withheld = paused.warnings.filter(({ code }) => code === "paused");
        repeats(withheld, "pd-rollout: ", "\n  - restart basic-pd-");
        const added = await planOf(basic({ paused: true, tiproxy: { replicas: 1, version: "v1.3.0" } }));
        assert.deepEqual(
            added.refusals.map(({ gate }) => gate),
            ["tiproxy-scale", "tiproxy-rollout"],
        );
    });

    it("refuses recovery mode of a cluster that is there once, with every reason", async () => {
        const { refusals } = await planOf(basic({ recoveryMode: true }));
        assert.deepEqual(
            refusals.map(({ gate, reason }) => [gate, reason.split(":")[0]]),
            [["cluster", "spec.recoveryMode"]],
        );
    });

    it("suspends members in the order of their gates", async () => {
        const suspended = { suspendAction: { suspendStatefulSet: true } };
        const plan = await planOf(basic({ tidb: suspended }));
        assert.deepEqual(texts(plan)[0].split(" (")[0], "tidb-suspend: suspend basic-tidb");
        const paused = await planOf(basic({ tidb: suspended, paused: true }));
        assert.deepEqual(
            texts(paused).map((text) => text.split(" (")[0]),
            ["tidb-suspend: suspend basic-tidb"],
        );
    });

    it("continues without the configuration if nobody may read it, and says so", async () => {
        const world = clusterWorld();
        const forbidden = new KubernetesApiError("read StatefulSet basic-pd: forbidden (403)", 403);
        const kubernetes = { context: "current", server: "https://k8s.example:6443" };
        const sources = { world, kubernetes, liveMember: () => Promise.reject(forbidden) };
        const { warnings } = await planCluster(checkManifest(basic()), { access: {} }, sources);
        assert.deepEqual(codesOf(warnings.slice(0, 1)), ["config-not-compared"]);
        repeats(warnings[0], forbidden.message);
    });

    it("takes neither a step nor a lock", async () => {
        const { world } = await planOfFile(JSON.stringify(basic({ version: "v8.5.4", tikv: { replicas: 5 } })));
        assert.deepEqual(world.done, []);
    });

    it("cannot take a step, because a plan's ports refuse to", async () => {
        const world = clusterWorld();
        const ports = await readOnlyWorld(world).open(told() as never, "effect");
        await assert.rejects(ports.perform({ do: "delete-pod" } as never), /reading changes nothing/);
        await assert.rejects(ports.tryLock(leaseOf(), "plan"), /reading changes nothing/);
        assert.deepEqual(world.done, []);
    });
});
