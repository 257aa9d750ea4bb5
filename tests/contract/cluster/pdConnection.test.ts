import * as assert from "node:assert/strict";
import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { ClientCertificate } from "../../../provider/cluster/clientCertificate";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { PdConnection } from "../../../provider/cluster/pdConnection";
import { type PdSimulator, startPdSimulator } from "../../../sandbox/dataPlane";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import type { PdClient, PdClientOptions } from "../../../provider/pd";
import { createAuthority, issue, secretData, type Issued } from "../../support/certificates/certificates";

const noForwards = {} as KubeConfig;

describe("the connection to PD with TLS", () => {
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
        return new PdConnection(api, noForwards, access, new ClientCertificate(api, id));
    };
    const health = async (connection: PdConnection) => (await connection.ask((client) => client.health())).length;
    const good = async () => secretData(authority, await issue(authority, ["client"]));
    const strange = async () => {
        const stranger = await createAuthority("another");
        return { ...secretData(authority, await issue(stranger, ["client"])) };
    };

    it("shows the certificate in the cluster's Secret, and reads it once", async () => {
        secret = await good();
        const connection = connect();
        assert.equal(await health(connection), 3);
        assert.equal(await health(connection), 3);
        connection.forget();
        assert.equal(await health(connection), 3);
        assert.equal(reads, 1);
    });

    it("continues with a certificate that was renewed meanwhile", async () => {
        secret = await strange();
        const connection = connect();
        await assert.rejects(health(connection));
        secret = await good();
        assert.equal(await health(connection), 3);
        assert.equal(reads, 3, "read at first, then after each refusal");
    });

    it("says which Secret has expired or is from another authority once PD refuses it", async () => {
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

    it("says which Secret is missing, and reads it again at the next call", async () => {
        secret = undefined;
        const connection = connect();
        await assert.rejects(health(connection), /Secret tidb\/basic-cluster-client-secret does not exist/);
        secret = await good();
        assert.equal(await health(connection), 3);
    });

    it("does not read the Secret again after an error that has nothing to do with TLS", async () => {
        secret = await good();
        const connection = connect();
        await assert.rejects(
            connection.ask((client) => client.deleteStore(999)),
            /PD_NOT_FOUND/,
        );
        assert.equal(reads, 1);
    });
});

describe("the connection to PD through port-forwards", () => {
    it("keeps its connections longer than the minute between two looks, and checks a change only once they reach the pod", async () => {
        const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
        const api = {} as KubernetesApi;
        const asked: PdClientOptions[] = [];
        const connection = new PdConnection(
            api,
            noForwards,
            { ...id, tls: false },
            new ClientCertificate(api, id),
            () => ({
                createPdClient: (options) => {
                    asked.push(options);
                    return { close: () => undefined } as PdClient;
                },
            }),
        );
        const opened = () => Promise.resolve();
        const forwards = { keepOnly: () => undefined, to: () => Promise.resolve({ port: 1, opened }) };
        Object.assign(connection, { forwards });
        await connection.ask(() => Promise.resolve(), [{ name: "basic-pd-0", uid: "1", ready: true } as ObservedPod]);
        assert.ok(Number(asked[0].endpoints[0].idleMilliseconds) > 60_000);
        assert.equal(asked[0].endpoints[0].opened, opened);
    });
});
