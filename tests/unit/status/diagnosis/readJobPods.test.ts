import * as assert from "node:assert/strict";
import type { V1Job, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { KubernetesApiError } from "../../../../provider/cluster/apiCall";
import { readJobPods } from "../../../../status/diagnosis/readJobPods";

const forbidden = () => Promise.reject(new KubernetesApiError("answered 403", 403));
const job = (name: string, args = ["--pd=basic-pd.tidb:2379"]): V1Job => ({
    spec: { template: { spec: { containers: [{ name: "backup", args }] } } },
    metadata: { name, uid: `uid of ${name}` },
});
const podOf = (of: string, name: string, day: number, phase: string, uid = `uid of ${of}`): V1Pod => ({
    metadata: {
        name,
        creationTimestamp: new Date(`2026-01-0${day}`),
        ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: of, uid }],
    },
    status: { phase },
});

const read = (jobs: V1Job[] | typeof forbidden, pods: V1Pod[] | typeof forbidden) => {
    const answer = <T>(given: T[] | typeof forbidden) =>
        typeof given === "function" ? given() : Promise.resolve(given);
    return readJobPods({ jobs: () => answer(jobs), pods: () => answer(pods) }, { cluster: "basic", namespace: "tidb" });
};

describe("the pods of Jobs that a diagnosis reads", () => {
    it("are the newest of each Job of the cluster, by its owner, in any order", async () => {
        const [old, fresh] = [podOf("backup-a", "old", 1, "Failed"), podOf("backup-a", "new", 2, "Failed")];
        const stranger = podOf("backup-a", "stranger", 3, "Failed", "another uid");
        for (const pods of [
            [old, fresh, stranger],
            [stranger, fresh, old],
        ]) {
            assert.deepEqual(await read([job("backup-a"), job("other", [])], pods), {
                pods: [{ job: "backup-a", name: "new" }],
                unread: [],
            });
        }
    });

    it("are none of a Job whose pod has succeeded, and one that does not exist of a Job without pods", async () => {
        assert.deepEqual((await read([job("a")], [podOf("a", "a-1", 1, "Succeeded")])).pods, []);
        assert.deepEqual((await read([job("a")], [])).pods, [{ job: "a", name: "a pod of Job a", isMissing: true }]);
    });

    it("are not known where the API server does not say them", async () => {
        assert.deepEqual(await read(forbidden, []), { pods: [], unread: ["the pods of Jobs: answered 403"] });
        assert.deepEqual(await read([job("a")], forbidden), { pods: [], unread: ["the pods of Job a: answered 403"] });
        const broken = { jobs: () => Promise.reject(new Error("a bug")), pods: () => Promise.resolve([]) };
        await assert.rejects(readJobPods(broken, { cluster: "basic", namespace: "tidb" }), /a bug/);
    });
});
