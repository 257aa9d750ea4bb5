import * as assert from "node:assert/strict";
import { KubernetesApiError, ServerClock } from "../../../provider/cluster/apiCall";
import { createKubernetesApi, type KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { type Listener, startListener } from "../../../sandbox/dataPlane/listener";
import { repeats } from "../../support/repeats";

interface Request {
    method: string;
    path: string;
    body: unknown;
}

describe("the gates' calls of the API server", () => {
    let server: Listener;
    let api: KubernetesApi;
    let requests: Request[];
    let answers: Record<string, { status: number; body: string }>;
    const id = { namespace: "tidb", cluster: "basic", instance: "shop" };

    before(async () => {
        server = await startListener(({ method, url, body }) => {
            const path = url.pathname;
            requests.push({
                method,
                path: url.pathname + url.search,
                body: body === "" ? undefined : (JSON.parse(body) as unknown),
            });
            const answer = answers[`${method} ${path}`] ?? { status: 200, body: '{"metadata":{},"items":[]}' };
            return { ...answer, contentType: "application/json" };
        });
        const kubeconfig = JSON.stringify({
            apiVersion: "v1",
            kind: "Config",
            clusters: [
                {
                    name: "one",
                    cluster: { server: `http://127.0.0.1:${server.port}`, "insecure-skip-tls-verify": true },
                },
            ],
            users: [{ name: "one", user: {} }],
            contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
            "current-context": "one",
        });
        api = await createKubernetesApi(await loadKubeConfig({ kubeconfig }));
    });
    after(() => server.close());
    beforeEach(() => ([requests, answers] = [[], {}]));

    const conflict = { status: 409, body: JSON.stringify({ message: "the object has been modified" }) };
    const preconditions = (request: Request) => (request.body as { preconditions?: object }).preconditions;
    const core = "/api/v1/namespaces/tidb";

    it("tell the API server's time, which is on every answer", async () => {
        assert.equal(api.serverNow!(), undefined, "it has not answered yet");
        await api.readLease("tidb", "basic-pulumi-tidb");
        assert.ok(Math.abs(api.serverNow!()! - Date.now()) < 60_000, "the same machine");
        let own = 1_000_000;
        const clock = new ServerClock(() => own);
        const answer = { headers: { date: "Mon, 23 Nov 2026 07:00:00 GMT" } } as never;
        assert.equal(await clock.reader.post(answer), answer);
        own += 5_000;
        assert.equal(clock.now(), Date.parse("2026-11-23T07:00:05Z"));
        await clock.reader.post({ headers: {} } as never);
        assert.equal(clock.now(), Date.parse("2026-11-23T07:00:05Z"), "an answer without a date tells nothing");
    });

    it("delete a pod as it was seen, not its successor and not after its container restarted", async () => {
        await api.deletePod("tidb", "basic-tikv-2", "uid-2", "77");
        assert.equal(requests[0].method, "DELETE");
        assert.deepEqual(preconditions(requests[0]), { uid: "uid-2", resourceVersion: "77" });
    });

    it("say that a pod has changed since, and that they did nothing to it", async () => {
        answers[`DELETE ${core}/pods/basic-tikv-2`] = conflict;
        await assert.rejects(api.deletePod("tidb", "basic-tikv-2", "uid-2", "77"), (error: Error) => {
            repeats(error.message, "pod basic-tikv-2", "409");
            return error instanceof StaleDecision && error.isTransient;
        });
    });

    it("say that a claim has changed since, such as by a pod that was bound to it or by a mark that was taken off, and keep its volume", async () => {
        answers[`DELETE ${core}/persistentvolumeclaims/tikv-basic-tikv-2`] = conflict;
        const deleted = api.deleteClaim("tidb", "tikv-basic-tikv-2", "uid-3", "78");
        await assert.rejects(deleted, (error: Error) => {
            repeats(error.message, "claim tikv-basic-tikv-2");
            return error instanceof StaleDecision && error.isTransient;
        });
    });

    it("take a pod or claim that is gone for deleted", async () => {
        const gone = { status: 404, body: JSON.stringify({ message: "not found" }) };
        answers[`DELETE ${core}/pods/basic-tikv-2`] = gone;
        answers[`DELETE ${core}/persistentvolumeclaims/tikv-basic-tikv-2`] = gone;
        await api.deletePod("tidb", "basic-tikv-2", "uid-2", "77");
        await api.deleteClaim("tidb", "tikv-basic-tikv-2", "uid-3", "78");
    });

    it("delete and mark a claim and a StatefulSet that was seen, not a new one of the same name", async () => {
        await api.deleteClaim("tidb", "tikv-basic-tikv-2", "uid-3", "78");
        assert.deepEqual(preconditions(requests[0]), { uid: "uid-3", resourceVersion: "78" });
        await api.releaseClaim("tidb", "tikv-basic-tikv-2", "uid-3", new Date(0), "7");
        const at = "1970-01-01T00:00:00.000Z";
        const annotations = { "tidb.pingcap.com/pvc-defer-deleting": at, "pulumi-tidb.io/released-id": "7" };
        assert.deepEqual(requests[1].body, { metadata: { uid: "uid-3", annotations } });
        await api.releaseClaim("tidb", "tikv-basic-tikv-2", "uid-3", null);
        const none = { "tidb.pingcap.com/pvc-defer-deleting": null, "pulumi-tidb.io/released-id": null };
        assert.deepEqual(requests.splice(2, 1)[0].body, { metadata: { uid: "uid-3", annotations: none } });
        await api.deleteStatefulSet("tidb", "basic-tikv", "uid-4");
        assert.deepEqual(preconditions(requests[2]), { uid: "uid-4" });
        await api.noteVersion("tidb", "tikv-basic-tikv-2", "uid-3", "v8.5.3");
        const version = { "pulumi-tidb.io/version": "v8.5.3" };
        assert.deepEqual(requests[3].body, { metadata: { uid: "uid-3", annotations: version } });
        await api.noteVersion("tidb", "tikv-basic-tikv-2", "uid-3", "v8.5.3", false);
        const withTls = { ...version, "pulumi-tidb.io/tls-cluster": "false" };
        assert.deepEqual(requests[4].body, { metadata: { uid: "uid-3", annotations: withTls } });
        answers[`PATCH ${core}/persistentvolumeclaims/tikv-basic-tikv-2`] = conflict;
        await assert.rejects(api.releaseClaim("tidb", "tikv-basic-tikv-2", "uid-3", new Date(0)), StaleDecision);
    });

    it("give a volume another reclaim policy as it was seen, not one that another claim has meanwhile", async () => {
        const volume = { name: "pv-2", uid: "uid-v", resourceVersion: "7", reclaimPolicy: "Delete" };
        await api.setReclaimPolicy(volume, "Retain");
        const spec = { persistentVolumeReclaimPolicy: "Retain" };
        assert.deepEqual(requests[0].body, { metadata: { uid: "uid-v", resourceVersion: "7" }, spec });
        assert.equal(requests[0].path, "/api/v1/persistentvolumes/pv-2?fieldManager=pulumi-tidb");
        answers["PATCH /api/v1/persistentvolumes/pv-2"] = conflict;
        await assert.rejects(api.setReclaimPolicy(volume, "Retain"), StaleDecision);
    });

    it("enlarge a claim that was seen, and record an automatic growth with the same write", async () => {
        const requested = { spec: { resources: { requests: { storage: "12Gi" } } } };
        await api.resizeClaim("tidb", "tikv-basic-tikv-2", "uid-3", "12Gi");
        assert.deepEqual(requests[0].body, { metadata: { uid: "uid-3" }, ...requested });
        const grown = { at: "1970-01-01T00:00:00.000Z", from: "10Gi", to: "12Gi", storeBytes: 7 };
        await api.resizeClaim("tidb", "tikv-basic-tikv-2", "uid-3", "12Gi", grown);
        const annotations = { "pulumi-tidb.io/grown-by": JSON.stringify(grown) };
        assert.deepEqual(requests[1].body, { metadata: { uid: "uid-3", annotations }, ...requested });
    });

    it("write on a pod that was seen when its shutdown began, and delete that", async () => {
        await api.noteShutdown("tidb", "basic-ticdc-2", "uid-2", new Date(0));
        await api.noteShutdown("tidb", "basic-ticdc-2", "uid-2", null);
        const annotation = "tidb.pingcap.com/ticdc-graceful-shutdown-begin-time";
        assert.deepEqual(
            requests.map(({ body }) => body),
            ["1970-01-01T00:00:00.000Z", null].map((at) => ({
                metadata: { uid: "uid-2", annotations: { [annotation]: at } },
            })),
        );
        assert.ok(requests.every(({ path }) => path === `${core}/pods/basic-ticdc-2?fieldManager=pulumi-tidb`));
    });

    const unready = (nodeName: string) => ({
        status: 200,
        body: JSON.stringify({
            items: [{ metadata: { name: "basic-tikv-0", uid: "1" }, spec: { nodeName, containers: [] }, status: {} }],
        }),
    });
    const containerOf = async () => {
        const [{ pods }] = await api.readMembers(id, ["tikv"], {}, () => 5);
        const { container } = pods[0];
        return container.known ? container.value.is : container.why;
    };

    it("read everything except what nodes say if they may not read nodes, and name the missing permission", async () => {
        answers[`GET ${core}/pods`] = unready("node-1");
        answers["GET /api/v1/nodes/node-1"] = { status: 403, body: JSON.stringify({ message: "nodes is forbidden" }) };
        repeats(await containerOf(), "node-1", "403: nodes is forbidden", "grant `get` on `nodes` by a ClusterRole");
    });

    it("do not conclude from a missing node that the container has stopped", async () => {
        answers[`GET ${core}/pods`] = unready("node-1");
        answers["GET /api/v1/nodes/node-1"] = { status: 404, body: JSON.stringify({ message: "not found" }) };
        repeats(await containerOf(), "node-1");
    });

    it("list the pods of all members at once by their labels, and all claims of the namespace", async () => {
        await api.readMembers(id, ["tikv", "pd"], {}, () => 5);
        const paths = requests.map(({ path }) => decodeURIComponent(path.replaceAll("+", " ")));
        const selector = "app.kubernetes.io/instance=shop,app.kubernetes.io/component in (tikv,pd)";
        assert.deepEqual(
            paths.filter((path) => path.startsWith(`${core}/pods`)),
            [`${core}/pods?labelSelector=${selector}&limit=500`],
        );
        assert.deepEqual(
            paths.filter((path) => path.startsWith(`${core}/persistent`)),
            [`${core}/persistentvolumeclaims?limit=500`],
        );
    });

    it("fail completely if pods or claims cannot be listed", async () => {
        for (const kind of ["pods", "persistentvolumeclaims"]) {
            answers = { [`GET ${core}/${kind}`]: { status: 403, body: JSON.stringify({ message: "forbidden" }) } };
            await assert.rejects(
                api.readMembers(id, ["tikv"], {}, () => 5),
                KubernetesApiError,
            );
        }
    });
});
