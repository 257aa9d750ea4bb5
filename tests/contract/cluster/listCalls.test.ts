import * as assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { createKubernetesApi, type KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { type LoopbackServer, startLoopbackServer } from "./loopbackServer";
import { repeats } from "../../support/repeats";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };

describe("the long lists of the API server", () => {
    let server: LoopbackServer;
    let api: KubernetesApi;
    let asked: { of: string; query: URLSearchParams; accept: string | undefined }[];
    let pages: object[][];
    let refused: Record<string, number>;
    before(async () => {
        const read = ({ url = "", headers }: IncomingMessage) => {
            const { pathname, searchParams } = new URL(url, "http://localhost");
            const of = pathname.split("/").at(-1)!;
            asked.push({ of, query: searchParams, accept: headers.accept });
            return of;
        };
        server = await startLoopbackServer((request, response) => {
            const of = read(request);
            const at = Number(asked.at(-1)!.query.get("continue") ?? 0);
            const more = at + 1 < pages.length ? { continue: String(at + 1) } : {};
            // As the API server writes an empty list of metadata.
            const items = of === "pods" ? pages[at] : null;
            response.writeHead(refused[of] ?? 200, { "content-type": "application/json" });
            response.end(JSON.stringify({ metadata: of === "pods" ? more : {}, items, message: "refused" }));
        });
        api = await createKubernetesApi(await loadKubeConfig({ kubeconfig: server.kubeconfig }));
    });
    after(() => server.close());
    beforeEach(() => ([asked, pages, refused] = [[], [[]], {}]));

    const pod = (ordinal: number, managedFields: object[] = []) => ({
        metadata: {
            name: `basic-tikv-${ordinal}`,
            annotations: { "tidb.pingcap.com/ticdc-graceful-shutdown-begin-time": "1970-01-01T00:00:00Z" },
            creationTimestamp: "2026-01-31T12:00:00Z",
            managedFields,
        },
    });
    const podsNow = async () => (await api.readMembers(id, ["tikv"], {}, () => 5))[0].pods;

    it("are read page by page, and none of their objects is lost", async () => {
        pages = [[pod(0), pod(1)], [pod(2)], [pod(3)]];
        assert.deepEqual(
            (await podsNow()).map(({ name, createdAt }) => [name, createdAt]),
            [0, 1, 2, 3].map((one) => [`basic-tikv-${one}`, Date.parse("2026-01-31T12:00:01Z")]),
        );
        const queries = asked
            .filter(({ of }) => of === "pods")
            .map(({ query }) => [query.get("limit"), query.get("continue")]);
        assert.deepEqual(queries, [
            ["500", null],
            ["500", "1"],
            ["500", "2"],
        ]);
    });

    it("are of metadata alone where the rest is not read", async () => {
        await podsNow();
        const accepted = Object.fromEntries(asked.map(({ of, accept }) => [of, accept]));
        assert.equal(accepted.pods, "application/json");
        assert.match(
            accepted.persistentvolumeclaims ?? "",
            /^application\/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,/,
        );
    });

    it("are whole claims where their state is asked for", async () => {
        await api.readMembers(id, ["tikv"], {}, () => 5, { claimStates: true });
        assert.equal(asked.find(({ of }) => of === "persistentvolumeclaims")?.accept, "application/json");
    });

    it("keep who wrote a field where that is this package, and only there", async () => {
        const by = (manager: string) => ({
            manager,
            fieldsV1: {
                "f:metadata": { "f:annotations": { "f:tidb.pingcap.com/ticdc-graceful-shutdown-begin-time": {} } },
            },
        });
        pages = [[pod(0, [by("kubelet"), by("pulumi-tidb")]), pod(1, [by("kubelet")])]];
        assert.deepEqual(
            (await podsNow()).map(({ ownShutdown }) => ownShutdown),
            [true, undefined],
        );
    });

    it("fail with the server's reason, and never count as empty", async () => {
        refused = { pods: 403 };
        await assert.rejects(podsNow(), (error: Error) => {
            repeats(error.message, "list pods of basic (tikv)", "403: refused");
            return error instanceof KubernetesApiError && error.status === 403;
        });
    });
});
