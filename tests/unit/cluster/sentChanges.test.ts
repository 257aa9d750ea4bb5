import * as assert from "node:assert/strict";
import { createKubernetesApi, type KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { createJobCalls } from "../../../provider/cluster/jobs/jobCalls";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { PodCalls } from "../../../provider/cluster/podCalls";
import type { Forward } from "../../../provider/cluster/portForward";
import { SqlLogin } from "../../../provider/cluster/sqlLogin";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { createPdClient } from "../../../provider/pd";
import { systemClock } from "../../../sandbox/dataPlane/clock";
import { type Listener, startListener } from "../../../sandbox/dataPlane/listener";
import { settledCluster } from "../../../sandbox/dataPlane/settledCluster";
import { startSqlListener } from "../../../sandbox/dataPlane/sqlListener";

/** A lock that is lost as soon as the run logs in to the API server, or opens the connection to a pod. */
describe("a change whose lock was lost during the login or while the connection was opened", () => {
    let server: Listener;
    let received: string[];
    let isLost: boolean;
    before(async () => {
        server = await startListener(({ method, url }) => {
            received.push(`${method} ${url.pathname}`);
            const set = { metadata: { name: "basic-tikv", uid: "u", resourceVersion: "1" }, spec: { replicas: 3 } };
            return { status: 200, body: JSON.stringify(set), contentType: "application/json" };
        });
    });
    after(() => server.close());
    beforeEach(() => ([received, isLost] = [[], false]));
    const assertAllowed = () => {
        if (isLost) {
            throw new StaleDecision("the lock was not renewed a moment ago");
        }
    };
    const lose = () => {
        isLost = true;
        return Promise.resolve();
    };
    const changesReceived = () => received.filter((one) => !one.startsWith("GET"));
    const isKeptBack = async (change: Promise<unknown>) => {
        await assert.rejects(change, { name: "StaleDecision", message: "the lock was not renewed a moment ago" });
        assert.deepEqual(changesReceived(), []);
    };

    /** @param login what happens at each login. */
    const config = async (login = lose) => {
        const loaded = await loadKubeConfig({
            kubeconfig: JSON.stringify({
                apiVersion: "v1",
                kind: "Config",
                clusters: [
                    {
                        name: "one",
                        cluster: { server: `http://127.0.0.1:${server.port}`, "insecure-skip-tls-verify": true },
                    },
                ],
                users: [{ name: "one", user: { token: "t" } }],
                contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
                "current-context": "one",
            }),
        });
        const { applySecurityAuthentication } = loaded;
        loaded.applySecurityAuthentication = async (context) => {
            await applySecurityAuthentication(context);
            await login();
        };
        return loaded;
    };
    const from = { name: "basic-tikv", uid: "u", replicas: 3 };
    const volume = { name: "pv-2", uid: "v", resourceVersion: "7", reclaimPolicy: "Delete" };
    const changes: Record<string, (api: KubernetesApi) => Promise<unknown>> = {
        "a pod that its successor needs is not deleted": (api) => api.deletePod("tidb", "basic-tikv-2", "u", "1"),
        "a volume is not deleted": (api) => api.deleteClaim("tidb", "tikv-basic-tikv-2", "u", "1"),
        "a volume is not marked as released": (api) => api.releaseClaim("tidb", "tikv-basic-tikv-2", "u", new Date()),
        "a mark on a volume is not taken off": (api) => api.releaseClaim("tidb", "tikv-basic-tikv-2", "u", null),
        "a version is not recorded": (api) => api.noteVersion("tidb", "tikv-basic-tikv-2", "u", "v8.5.3"),
        "a volume gets no other reclaim policy": (api) => api.setReclaimPolicy(volume, "Retain"),
        "a shutdown is not recorded": (api) => api.noteShutdown("tidb", "basic-ticdc-2", "u", new Date()),
        "a StatefulSet is not deleted": (api) => api.deleteStatefulSet("tidb", "basic-tikv", "u"),
        "a number of replicas is not changed": (api) => api.setReplicas("tidb", from, 4),
        "a number of replicas is not given back": (api) => api.giveReplicasBack("tidb", from),
        "root's password is not made": (api) => api.createSecret("tidb", "basic-init", {}, { root: "x" }),
        "root's password is not called set": (api) => api.annotateSecret("tidb", "basic-init", { a: "b" }),
    };
    for (const [name, change] of Object.entries(changes)) {
        it(`is not sent to the API server: ${name}`, async () => {
            await isKeptBack(change((await createKubernetesApi(await config())).guardedBy(assertAllowed)));
        });
    }

    it("is sent while the lock is held, and questions are asked in any case", async () => {
        const api = await createKubernetesApi(await config(() => Promise.resolve()));
        await changes["a volume is not deleted"](api.guardedBy(assertAllowed));
        assert.deepEqual(received, ["DELETE /api/v1/namespaces/tidb/persistentvolumeclaims/tikv-basic-tikv-2"]);
        isLost = true;
        await api.guardedBy(assertAllowed).readLease("tidb", "basic-pulumi-tidb");
    });

    it("is not sent to the API server: a Job is neither started nor made", async () => {
        const calls = await createJobCalls(await config(), "tidb");
        await isKeptBack(calls.unsuspend("restore", "u", assertAllowed));
        isLost = false;
        await isKeptBack(calls.create({ metadata: { name: "log" } }, assertAllowed));
    });

    const opening = (port: number): Forward => ({ port, trouble: undefined, close: () => undefined, opened: lose });
    const pod = { name: "basic-tikv-2", uid: "u" };
    const forwards = (port: number) => ({ to: () => Promise.resolve(opening(port)), keepOnly: () => undefined });

    it("is not sent to a pod: a setting of TiKV, a capture that drains, a pump that closes, TiDB's upgrade", async () => {
        const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
        const calls = new PodCalls({} as never, id, undefined, { port: 20180, service: "basic-tikv-peer" });
        Object.assign(calls, { forwards: forwards(server.port) });
        await isKeptBack(calls.change(pod, { method: "POST", path: "/config", body: { a: 1 } }, assertAllowed));
    });

    it("is not sent to PD: a store is not removed, a member is not deleted, no eviction begins", async () => {
        const endpoint = { name: "basic-pd-0", url: `http://127.0.0.1:${server.port}`, opened: lose };
        const client = createPdClient({ endpoints: [endpoint] });
        const guarded = client.guardedBy(assertAllowed);
        for (const change of [() => guarded.deleteStore(7), () => guarded.deleteMemberById("5")]) {
            isLost = false;
            await isKeptBack(change());
        }
        client.close();
    });

    it("is not sent to TiDB: root gets no password, and no variable is set", async () => {
        const { state, cluster } = settledCluster({ tidb: 1 });
        cluster.setRootPassword("");
        const listener = await startSqlListener(state, "basic-tidb-0", systemClock);
        const login = new SqlLogin(forwards(listener.port));
        // It logs in, which changes nothing.
        isLost = true;
        await isKeptBack(login.setPassword(pod, "secret", assertAllowed));
        assert.equal(await login.isAccepted(pod, ""), true);
        const set = { sql: "SET GLOBAL tidb_slow_log_threshold = ?", values: [1], changes: true } as const;
        const show = { sql: "SHOW GLOBAL VARIABLES WHERE Variable_name IN (?)", values: [["tidb_slow_log_threshold"]] };
        const valueOf = async () => {
            const rows = await login.statements(pod, "", [show]);
            assert.ok(typeof rows !== "string");
            return rows[0][0].Value;
        };
        const before = await valueOf();
        await isKeptBack(login.statements(pod, "", [set], assertAllowed));
        assert.equal(await valueOf(), before);
        await assert.rejects(login.statements(pod, "", [set]), /needs a check of the lock/);
        await listener.close();
    });
});
