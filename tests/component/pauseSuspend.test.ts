import * as assert from "node:assert/strict";
import { Backup } from "../../components/backup/backup";
import { TidbCluster } from "../../components/tidbCluster";
import { patienceMilliseconds, type ProgramRun, readOutput, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const run = (change: object): Promise<ProgramRun<TidbCluster>> =>
    runProgram(() => new TidbCluster("basic", { spec: { ...basicSpec(), ...change } }));
const gatesOf = ({ resources }: ProgramRun<TidbCluster>) => resources.filter(({ type }) => /Gate$/.test(type));

describe("component: a paused cluster", function () {
    this.timeout(patienceMilliseconds);

    it("makes Pulumi ignore every change of its objects, and tells every gate", async () => {
        const paused = await run({ paused: true });
        const objects = paused.resources.filter(({ type }) => /^kubernetes:/.test(type) && !/Lease$/.test(type));
        assert.equal(objects.length, 17);
        assert.deepEqual(
            objects.filter(({ ignoreChanges }) => ignoreChanges.join() !== "*").map(({ name }) => name),
            [],
        );
        assert.deepEqual(
            gatesOf(paused).map(({ inputs }) => inputs.paused),
            Array(8).fill(true),
        );
        assert.ok(paused.warnings.some((warning) => warning.startsWith("spec.paused is true")));
    });

    it("still suspends a member, as tidb-operator does", async () => {
        const suspendAction = { suspendStatefulSet: true };
        const { find } = await run({ paused: true, tidb: { replicas: 2, config: {}, suspendAction } });
        assert.equal(find("SuspendGate", "basic-tidb-suspend").inputs.paused, undefined);
    });

    it("has the images that are deployed as an output, not those that the program asks for, and backs up by their version", async () => {
        // While Pulumi ignores every change, the engine answers with the state of the last update.
        const deployed = (type: string, inputs: Record<string, unknown>) => {
            if (!type.endsWith(":StatefulSet")) {
                return undefined;
            }
            const text = JSON.stringify(inputs).replaceAll(`:${basicSpec().version}"`, ':v8.1.0"');
            return JSON.parse(text) as Record<string, unknown>;
        };
        const program = () => {
            const cluster = new TidbCluster("basic", { spec: { ...basicSpec(), paused: true } });
            const backup = new Backup("monday", {
                cluster,
                spec: { s3: { provider: "aws", bucket: "b", prefix: "p" } },
            });
            return { cluster, backup };
        };
        for (const preview of [true, false]) {
            const { value, find } = await runProgram(program, { state: deployed, preview });
            assert.deepEqual((await readOutput(value.cluster.images)).value, {
                pd: "pingcap/pd:v8.1.0",
                tikv: "pingcap/tikv:v8.1.0",
                tidb: "pingcap/tidb:v8.1.0",
            });
            assert.ok(JSON.stringify(find("Job", "monday").inputs).includes("pingcap/br:v8.1.0"));
        }
        const { value } = await runProgram(program, { state: deployed });
        assert.equal((await readOutput(value.backup.clusterVersion)).value, "v8.1.0");
    });

    it("differs from a cluster that is not paused in nothing else", async () => {
        const running = await run({ paused: false });
        assert.deepEqual(
            gatesOf(running).filter(({ inputs }) => "paused" in inputs),
            [],
        );
    });
});

describe("component: a suspended member", function () {
    this.timeout(patienceMilliseconds);
    const suspendAction = { suspendStatefulSet: true };

    it("has a gate in place of its StatefulSet, and keeps its Services and its ConfigMap", async () => {
        const { resources, value } = await run({
            tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" }, suspendAction },
        });
        const children = resources.filter(({ parent }) => parent === "tidb:index:Tidb::basic-tidb");
        assert.deepEqual(children.map(({ type, name }) => `${type.split(":").at(-1)} ${name}`).sort(), [
            "ConfigMap basic-tidb",
            "Service basic-tidb",
            "Service basic-tidb-peer",
            "SuspendGate basic-tidb-suspend",
        ]);
        assert.equal(value.members.tidb?.statefulSet, undefined);
        assert.ok(value.members.tidb?.suspendGate);
    });

    it("is suspended before the others are rolled out, and the ReadyGate does not wait for it", async () => {
        const { find } = await run({ tidb: { replicas: 2, config: {}, suspendAction } });
        const suspended = "pulumi-nodejs:tidb:SuspendGate::basic-tidb-suspend";
        assert.ok(find("ScaleGate", "basic-pd-scale").dependencies.includes(suspended));
        const { members } = find("ReadyGate", "basic-ready").inputs as { members: { component: string }[] };
        assert.deepEqual(
            members.map(({ component }) => component),
            ["pd", "tikv"],
        );
    });

    it("waits for the member that is suspended before it", async () => {
        const { resources, find } = await run({ suspendAction });
        assert.deepEqual(
            resources.filter(({ type }) => /:(StatefulSet|ScaleGate|RolloutGate)$/.test(type)),
            [],
        );
        const gate = (component: string) => `pulumi-nodejs:tidb:SuspendGate::basic-${component}-suspend`;
        assert.ok(find("SuspendGate", "basic-tikv-suspend").dependencies.includes(gate("tidb")));
        assert.ok(find("SuspendGate", "basic-pd-suspend").dependencies.includes(gate("tikv")));
        assert.deepEqual(find("ReadyGate", "basic-ready").inputs.members, []);
    });
});
