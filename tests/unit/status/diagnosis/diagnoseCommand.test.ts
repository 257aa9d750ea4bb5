import * as assert from "node:assert/strict";
import { diagnose, type DiagnoseOptions } from "../../../../bin/diagnoseCommand";
import { readOnlyWorld } from "../../../../provider/gates/readOnlyWorld";
import type { DiagnosisRequest } from "../../../../provider/lifecycle/diagnosis/facts";
import type { DiagnosisDocument } from "../../../../status/diagnosis/clusterDiagnosis";
import { parse } from "yaml";
import { changePorts, clusterWorld, leaseOf } from "../../gates/clusterWorld";
import { factsOf, podOf, statusOf } from "../../lifecycle/diagnosis/podFacts";

const crashing = podOf({
    containerStatuses: [statusOf({ state: { waiting: { reason: "InvalidImageName", message: "invalid" } } })],
});

async function run(options: Partial<DiagnoseOptions> = {}, isDeployed = true, isWrong = true) {
    const world = clusterWorld({
        live: { pd: {}, tikv: { live: 3 }, tidb: {} },
        lease: { ...leaseOf(), members: undefined },
    });
    const asked: DiagnosisRequest[] = [];
    changePorts(world, ({ look }) => ({
        look: async (what) => ({ ...(await look(what)), pdClusterId: undefined }),
        diagnose: (request) => {
            asked.push(request);
            return Promise.resolve({ pods: isWrong ? [factsOf(crashing)] : [], certificates: [], unread: [] });
        },
    }));
    const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
    const components = ["pd", "tikv", "tidb"] as const;
    const deployed = { id, pd: { ...id, tls: false }, tls: false, components, discovery: undefined };
    const given = { namespace: "tidb", output: "json", ...options } as const;
    const result = await diagnose("basic", given, {
        world: readOnlyWorld(world, "effect"),
        kubernetes: { context: "prod", server: "https://k8s.example:6443" },
        schedules: () => Promise.resolve({ known: true as const, value: [] }),
        jobs: () => Promise.reject(new Error("no Jobs are read")),
        jobPods: (namespace, cluster) =>
            Promise.resolve({
                pods: [{ job: `of ${namespace}/${cluster}`, name: "backup-x" }],
                unread: ["the pods of Job y"],
            }),
        deployed: () => Promise.resolve(isDeployed ? deployed : undefined),
    });
    return { ...result, asked, world };
}

describe("pulumi-tidb diagnose", () => {
    it("asks about every pod of the cluster, and changes nothing", async () => {
        const { asked, world } = await run();
        assert.equal(asked.length, 1);
        assert.equal(asked[0].certificates, true);
        assert.deepEqual(
            asked[0].pods.filter(({ component }) => component === "tikv").map(({ name }) => name),
            ["basic-tikv-0", "basic-tikv-1", "basic-tikv-2"],
        );
        assert.deepEqual(world.done, []);
    });

    it("asks about the pods of its Jobs too, and says which are not known", async () => {
        const { asked, output } = await run();
        assert.deepEqual(asked[0].pods.at(-1), { job: "of tidb/basic", name: "backup-x" });
        assert.ok((JSON.parse(output) as DiagnosisDocument).notKnown.includes("the pods of Job y"));
    });

    it("prints a versioned document, and ends with 1, if something is wrong", async () => {
        const { output, exitCode, errors } = await run();
        const document = JSON.parse(output) as DiagnosisDocument;
        assert.deepEqual([exitCode, errors], [1, ""]);
        assert.deepEqual([document.apiVersion, document.kind], ["pulumi-tidb.io/v1", "ClusterDiagnosis"]);
        assert.equal(document.problems[0].reason, "ImageNotFound");
        assert.deepEqual(parse((await run({ output: "yaml" })).output), document);
        assert.ok((await run({ output: "text" })).output.includes("basic-tikv-0: "));
    });

    it("ends with 1 if there is no such cluster", async () => {
        const { output, exitCode, errors } = await run({}, false);
        assert.deepEqual([output, exitCode], ["", 1]);
        assert.ok(errors.startsWith("error: "));
    });
});
