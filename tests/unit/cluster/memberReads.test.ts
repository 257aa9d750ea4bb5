import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { ListCalls } from "../../../provider/cluster/listCalls";
import { memberReads } from "../../../provider/cluster/memberReads";
import type { ReadCalls } from "../../../provider/cluster/readCalls";

const id = { namespace: "tidb", cluster: "basic", instance: "shop" };

describe("the reads of Kubernetes that observe members", () => {
    let named: string[];
    let asked: unknown[];
    let answer: object | Error | undefined;
    beforeEach(() => ([named, asked, answer] = [[], [], { items: ["one"] }]));

    const ask = (request: object) => {
        asked.push(request);
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    const call = <T>(what: string, request: () => Promise<T>): Promise<T> => {
        named.push(what);
        return request();
    };
    const core = { readNode: ask };
    const lists = {
        pods: (labelSelector: string) => ask({ labelSelector }),
        claims: () => ask({}),
    };
    const apps = { readNamespacedStatefulSet: ask, listNamespacedControllerRevision: ask };
    const calls = { apps, core, read: call, readOrMissing: call };
    const reads = memberReads(calls as unknown as ReadCalls, lists as unknown as ListCalls, id);

    it("name what was asked when they fail", async () => {
        assert.equal(await reads.statefulSet("basic-tikv"), answer);
        assert.deepEqual(await reads.pods(["tikv", "pd"]), ["one"]);
        assert.deepEqual(await reads.claims(), ["one"]);
        assert.equal(await reads.node("node-1"), answer);
        assert.deepEqual(named, [
            "read StatefulSet basic-tikv",
            "list pods of basic (tikv, pd)",
            "list claims of namespace tidb",
            "read node node-1",
        ]);
        const labelSelector = "app.kubernetes.io/instance=shop,app.kubernetes.io/component in (tikv,pd)";
        assert.deepEqual(asked, [{ namespace: "tidb", name: "basic-tikv" }, { labelSelector }, {}, { name: "node-1" }]);
    });

    it("distinguish a missing node from a forbidden one, and name the missing permission", async () => {
        answer = undefined;
        assert.equal(await reads.node("node-1"), "absent");
        answer = new KubernetesApiError("could not read node node-1: 403 nodes is forbidden", 403);
        const trouble = "could not read node node-1: 403 nodes is forbidden";
        assert.deepEqual(await reads.node("node-1"), {
            trouble: `${trouble}; grant \`get\` on \`nodes\` by a ClusterRole`,
        });
        answer = new KubernetesApiError("could not read node node-1: 500 etcd is slow", 500);
        assert.deepEqual(await reads.node("node-1"), { trouble: "could not read node node-1: 500 etcd is slow" });
    });

    it("do not know the revisions that the API server does not list, and fail without an answer if a decision needs them", async () => {
        const found = { known: true, value: ["one"], from: "the API server", at: 5 };
        assert.deepEqual(await reads.revisions("tikv", 5, true), found);
        for (const [status, mayFail] of [
            [403, false],
            [409, true],
            [429, true],
            [503, true],
            [undefined, true],
        ] as const) {
            answer = new KubernetesApiError(`could not list the revisions: ${status}`, status);
            const unknown = { known: false, why: `could not list the revisions: ${status}` };
            assert.deepEqual(await reads.revisions("tikv", 5, false), unknown);
            if (mayFail) {
                await assert.rejects(reads.revisions("tikv", 5, true), answer);
            } else {
                assert.deepEqual(await reads.revisions("tikv", 5, true), unknown);
            }
        }
        answer = new TypeError("a defect");
        await assert.rejects(reads.revisions("tikv", 5, false), answer);
    });

    it("do not take a defect for a forbidden node", async () => {
        answer = new TypeError("a defect");
        await assert.rejects(reads.node("node-1"), answer);
    });
});
