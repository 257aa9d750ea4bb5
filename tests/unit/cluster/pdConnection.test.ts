import * as assert from "node:assert/strict";
import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { ClientCertificate } from "../../../provider/cluster/clientCertificate";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { podsToAsk, PdConnection } from "../../../provider/cluster/pdConnection";
import { peerNames } from "../../../provider/cluster/peerNames";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ContainerState, ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import * as pd from "../../../provider/pd";
import { type PdSimulator, startPdSimulator } from "../../../sandbox/dataPlane";
import { createAuthority, issue, secretData, type Issued } from "../../support/certificates/certificates";

const noForwards = {} as KubeConfig;

describe("the way to PD, with TLS", () => {
    let authority: Issued;
    let simulator: PdSimulator;
    let secret: Record<string, string> | undefined;
    let reads: number;
    before(async () => {
        authority = await createAuthority("tidb");
        const server = await issue(authority, ["basic-pd", "127.0.0.1"]);
        simulator = await startPdSimulator({ tls: { ...server, ca: authority.cert } });
    });
    after(() => simulator.stop());
    beforeEach(() => (reads = 0));

    const connect = () => {
        const api = {
            readSecret: () => {
                reads++;
                return Promise.resolve(secret);
            },
        } as unknown as KubernetesApi;
        const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
        const access = { ...id, tls: true, address: simulator.urls.join(",") };
        return new PdConnection(api, noForwards, access, new ClientCertificate(api, id), () => Promise.resolve(pd));
    };
    const health = async (connection: PdConnection) => (await connection.ask((client) => client.health())).length;
    const good = async () => secretData(authority, await issue(authority, ["client"]));
    const strange = async () => {
        const stranger = await createAuthority("another");
        return { ...secretData(authority, await issue(stranger, ["client"])) };
    };

    it("shows the certificate of the cluster's Secret, and reads it once", async () => {
        secret = await good();
        const connection = connect();
        assert.equal(await health(connection), 3);
        assert.equal(await health(connection), 3);
        connection.forget();
        assert.equal(await health(connection), 3);
        assert.equal(reads, 1);
    });

    it("carries on with a certificate that was renewed in the meantime", async () => {
        secret = await strange();
        const connection = connect();
        await assert.rejects(health(connection));
        secret = await good();
        assert.equal(await health(connection), 3);
        assert.equal(reads, 3, "read at first, then after each refusal");
    });

    it("says which Secret has expired, or is of another authority, once PD refuses it", async () => {
        const [notBefore, notAfter] = [new Date(Date.now() - 7_200_000), new Date(Date.now() - 3_600_000)];
        secret = secretData(authority, await issue(authority, ["client"], { notBefore, notAfter }));
        await assert.rejects(
            health(connect()),
            /tls\.crt in Secret tidb\/basic-cluster-client-secret expired at .*renew/,
        );
        secret = await strange();
        await assert.rejects(
            health(connect()),
            /client's certificate.* was issued by "CN=another", but ca\.crt .* "CN=tidb"/,
        );
    });

    it("says which Secret is missing, and looks for it again at the next call", async () => {
        secret = undefined;
        const connection = connect();
        await assert.rejects(health(connection), /Secret tidb\/basic-cluster-client-secret does not exist/);
        secret = await good();
        assert.equal(await health(connection), 3);
    });

    it("does not read the Secret again for what TLS has nothing to do with", async () => {
        secret = await good();
        const connection = connect();
        await assert.rejects(
            connection.ask((client) => client.deleteStore(999)),
            /PD_NOT_FOUND/,
        );
        assert.equal(reads, 1);
    });

    it("knows a pod by every name that a certificate of tidb-operator's documentation is for", () => {
        const names = peerNames("basic-pd-0", "basic-pd-peer", "tidb", "one.example");
        for (const name of ["", ".tidb", ".tidb.svc", ".tidb.svc.one.example", ".tidb.svc.cluster.local"]) {
            assert.ok(names.includes(`basic-pd-0.basic-pd-peer${name}`), name);
        }
        assert.equal(names[0], "basic-pd-0.basic-pd-peer.tidb.svc.one.example", "as it is told to other members");
        assert.equal(peerNames("basic-pd-0", "basic-pd-peer", "tidb")[0], "basic-pd-0.basic-pd-peer.tidb.svc");
    });
});

describe("the pods of PD that are asked", () => {
    const pod = (name: string, more: Partial<ObservedPod>): ObservedPod => ({
        name,
        ordinal: 0,
        uid: name,
        resourceVersion: "1",
        ready: false,
        container: notKnown("its node is not Ready"),
        createdAt: 0,
        terminating: false,
        ...more,
    });
    const container = (state: ContainerState) => ({ container: known(state, "node", 0) });
    const running = container({ is: "running", startedAt: 0 });
    const namesOf = (pods: ObservedPod[]) => podsToAsk(pods).map(({ name }) => name);

    it("are those that serve beside a sidecar in trouble, too: PD is not called silent for it", () => {
        assert.deepEqual(namesOf([pod("a", running)]), ["a"]);
    });
    it("are first those that are Ready, then those whose container runs, then those of which that is not known", () => {
        const pods = [pod("c", {}), pod("b", running), pod("a", { ready: true, ...running })];
        assert.deepEqual(namesOf(pods), ["a", "b", "c"]);
    });
    it("are of each kind first those that have run longest: one that has just started may not serve yet", () => {
        const pods = [pod("young", { ready: true, createdAt: 9 }), pod("old", { ready: true, createdAt: 1 })];
        assert.deepEqual(namesOf(pods), ["old", "young"]);
    });
    it("are none that is being deleted, or whose container is known not to run", () => {
        const idle = [pod("b", container({ is: "stopped" })), pod("c", container({ is: "not-started" }))];
        assert.deepEqual(namesOf([pod("a", { terminating: true, ready: true }), ...idle]), []);
    });
    it("are named with what keeps each from being asked", async () => {
        const stopped = pod("basic-pd-0", {
            ...container({ is: "stopped" }),
            trouble: "container pd is in CrashLoopBackOff",
        });
        const api = { readPods: () => Promise.resolve([stopped]) } as unknown as KubernetesApi;
        const access = { namespace: "tidb", cluster: "basic", instance: "basic", tls: false };
        const connection = new PdConnection(api, noForwards, access, {} as ClientCertificate, () =>
            Promise.resolve(pd),
        );
        await assert.rejects(
            connection.ask((client) => client.health()),
            /no PD pod of tidb\/basic can be asked \(basic-pd-0 does not run its container pd: container pd is in Crash/,
        );
    });
});
