import type { RequestContext } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { unpackedAnswer } from "../../../provider/cluster/unpackedAnswer";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { type LoopbackServer, startLoopbackServer } from "./loopbackServer";

describe("an answer of the API server that is long", () => {
    let server: LoopbackServer;
    let answer: RequestListener;
    let url: string;
    before(async () => {
        server = await startLoopbackServer((request, response) => answer(request, response));
        const config = await loadKubeConfig({ kubeconfig: server.kubeconfig });
        url = `${config.getCurrentCluster()!.server}/api/v1/namespaces/tidb/pods?limit=500`;
    });
    after(() => server.close());

    const ask = (milliseconds = 5_000) => {
        const signal = AbortSignal.timeout(milliseconds);
        const request: Partial<RequestContext> = {
            getUrl: () => url,
            getHeaders: () => ({ Accept: "application/json" }),
            getSignal: () => signal,
            getAgent: () => undefined,
        };
        return unpackedAnswer(request as RequestContext);
    };
    const text = JSON.stringify({ items: Array.from({ length: 50_000 }, (_, uid) => ({ metadata: { uid } })) });
    const packed = gzipSync(text);
    const asPacked = { "content-encoding": "gzip", "content-type": "application/json" };

    it("is the same whether the server packs it or not", async () => {
        answer = ({ headers }, response) => {
            assert.deepEqual([headers.accept, headers["accept-encoding"]], ["application/json", "gzip"]);
            response.writeHead(200, asPacked).end(packed);
        };
        const one = await ask();
        answer = (_request, response) => response.end(text);
        const other = await ask();
        assert.equal(one.body.toString("utf8"), text);
        assert.deepEqual([one.status, one.body.equals(other.body)], [200, true]);
    });

    it("that is a refusal is returned with its status and its reason", async () => {
        answer = (_request, response) => response.writeHead(403, asPacked).end(gzipSync('{"message":"forbidden"}'));
        const { status, body } = await ask();
        assert.deepEqual([status, body.toString("utf8")], [403, '{"message":"forbidden"}']);
    });

    const broken: Record<string, RequestListener> = {
        "whose packed text ends too early": (_request, response) =>
            response.writeHead(200, asPacked).end(packed.subarray(0, packed.length / 2)),
        "whose connection ends too early": (_request, response) => {
            response.writeHead(200, { "content-length": text.length });
            response.write(text.slice(0, 1_000), () => response.destroy());
        },
    };
    for (const [name, how] of Object.entries(broken)) {
        it(`fails, and never counts as whole: ${name}`, async () => {
            answer = how;
            await assert.rejects(ask());
        });
    }

    const silent: Record<string, RequestListener> = {
        "does not begin": () => undefined,
        "does not end": (_request, response) => void response.writeHead(200, asPacked).write(packed.subarray(0, 100)),
    };
    for (const [name, how] of Object.entries(silent)) {
        it(`fails with the time limit if it ${name}`, async () => {
            answer = how;
            await assert.rejects(ask(200), { name: "TimeoutError" });
        });
    }
});
