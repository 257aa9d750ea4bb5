import * as assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAccessReview } from "../../../provider/cluster/accessReview";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";

/** Status of the answer for each Secret. */
const answers: Record<string, number> = {
    there: 200,
    gone: 404,
    forbidden: 403,
    broken: 500,
    lost: 404,
    "nodes?limit=500": 403,
};
const names = ["there", "gone", "forbidden", "broken", "lost"];

describe("the look for Secrets that do not exist", () => {
    let server: Server;
    let review: ReturnType<typeof createAccessReview>;
    const asked: { path: string; headers: IncomingHttpHeaders }[] = [];
    let atOnce = 0;
    let mostAtOnce = 0;
    before(async () => {
        server = createServer(({ url = "", headers }, response) => {
            asked.push({ path: url, headers });
            mostAtOnce = Math.max(mostAtOnce, ++atOnce);
            const status = answers[url.split("/").at(-1) ?? ""];
            const body = status === 200 ? { metadata: { name: "there" } } : { kind: "Status", code: status };
            setTimeout(() => {
                atOnce -= 1;
                response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
            }, 50);
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const cluster = {
            "insecure-skip-tls-verify": true,
            server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        };
        const kubeconfig = JSON.stringify({
            clusters: [{ name: "played", cluster }],
            users: [{ name: "ana", user: {} }],
            contexts: [{ name: "played", context: { cluster: "played", user: "ana" } }],
            "current-context": "played",
        });
        review = createAccessReview(await loadKubeConfig({ kubeconfig }), "tidb");
    });
    after(() => new Promise((resolve) => server.close(resolve)));

    it("names those that the API server does not have, and none that may not be read or whose answer fails", async () => {
        assert.deepEqual(await review.absentSecrets(names), ["gone", "lost"]);
    });

    it("does the same with ConfigMaps", async () => {
        const end = asked.length;
        assert.deepEqual(await review.absentSecrets(names, "configMap"), ["gone", "lost"]);
        assert.match(asked.splice(end)[0].path, /^\/api\/v1\/namespaces\/tidb\/configmaps\/\w+$/);
    });

    it("knows no nodes where they may not be listed, rather than none", async () => {
        assert.equal(await review.nodes(), undefined);
        asked.pop();
    });

    it("asks for all of them at once, and only for their metadata", () => {
        assert.equal(mostAtOnce, names.length);
        for (const { path, headers } of asked) {
            assert.match(path, /^\/api\/v1\/namespaces\/tidb\/secrets\/\w+$/);
            assert.equal(headers.accept, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
        }
    });
});
