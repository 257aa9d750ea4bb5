import * as assert from "node:assert/strict";
import type { CoreV1Api, StorageV1Api } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { diagnosisCalls } from "../../../../provider/cluster/diagnosis/diagnosisCalls";

/** Calls of a client that answers with this many pages. */
function calls(pages: number) {
    const asked: object[] = [];
    const answer = (options: object) => {
        asked.push(options);
        const metadata = asked.length < pages ? { _continue: `page ${asked.length + 1}` } : {};
        return Promise.resolve({ items: [{ metadata: { name: `${asked.length}` } }], metadata });
    };
    const core = { listNode: answer, listPodForAllNamespaces: answer, listNamespacedEvent: answer };
    const readNamespacedPodLog = (options: object) => Promise.resolve(JSON.stringify(options));
    const read = <T>(_what: string, request: () => Promise<T>) => request();
    const made = diagnosisCalls(
        { core: { ...core, readNamespacedPodLog } as unknown as CoreV1Api, read, readOrMissing: read },
        {} as StorageV1Api,
        "tidb",
    );
    return { made, asked };
}

describe("the lists of a diagnosis", () => {
    it("are read by pages", async () => {
        const { made, asked } = calls(3);
        assert.deepEqual(
            (await made.nodes()).map(({ metadata }) => metadata?.name),
            ["1", "2", "3"],
        );
        assert.deepEqual(asked, [
            { limit: 500 },
            { limit: 500, _continue: "page 2" },
            { limit: 500, _continue: "page 3" },
        ]);
    });

    it("leave out pods that have ended: they use nothing of a node", async () => {
        const { made, asked } = calls(1);
        await made.allPods();
        assert.deepEqual(asked, [{ limit: 500, fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" }]);
    });

    it("are not known if they are very long", async () => {
        await assert.rejects(calls(21).made.allPods(), /^TooMany: there are more than 10000, which are not read$/);
        assert.equal((await calls(20).made.allPods()).length, 20);
    });

    it("of events are those of one object", async () => {
        const { made, asked } = calls(1);
        await made.events("involvedObject.uid=1");
        assert.deepEqual(asked, [{ namespace: "tidb", fieldSelector: "involvedObject.uid=1", limit: 500 }]);
    });

    it("of log lines are short, and of the process that has ended", async () => {
        const options = JSON.parse(await calls(1).made.log("basic-tikv-0", "tikv", true)) as object;
        const which = { namespace: "tidb", name: "basic-tikv-0", container: "tikv", previous: true };
        assert.deepEqual(options, { ...which, tailLines: 30, limitBytes: 262_144 });
    });
});
