import * as assert from "node:assert/strict";
import { createPdClient, type PdTls } from "../../../provider/pd";
import { startPdSimulator } from "../../../sandbox/dataPlane";
import { knownSecrets } from "../../../sandbox/dataPlane/kubernetes/secretTls";
import { startListener } from "../../../sandbox/dataPlane/listener";
import { createAuthority, issue, secretData, type Issued } from "../../support/certificates/certificates";

describe("the data plane with TLS", () => {
    let authority: Issued;
    let server: Issued;
    let client: Issued;
    before(async () => {
        authority = await createAuthority("tidb");
        server = await issue(authority, ["127.0.0.1"]);
        client = await issue(authority, ["client"]);
    });
    const encoded = (data: Record<string, string>) =>
        Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
    const health = async (endpoints: { name: string; url: string }[], tls: PdTls) => {
        const pd = createPdClient({ endpoints, tls });
        try {
            return await pd.health();
        } finally {
            pd.close();
        }
    };

    it("answers clients with a certificate of its authority, names https addresses, and refuses all others", async () => {
        await using pd = await startPdSimulator({ tls: { ...server, ca: authority.cert } });
        const members = await health(pd.endpoints, { ca: authority.cert, ...client });
        assert.ok(members.every(({ clientUrls }) => clientUrls[0].startsWith("https://")));
        const stranger = await issue(await createAuthority("another"), ["client"]);
        for (const own of [{}, stranger]) {
            await assert.rejects(health(pd.endpoints, { ca: authority.cert, ...own }), /PD_UNREACHABLE/);
        }
        assert.equal(pd.pdCalls.length, 1, "who has no certificate is not heard at all");
    });

    it("serves a renewed certificate without a restart", async () => {
        const listener = await startListener(() => ({ status: 200, body: "[]" }), { ...server, ca: authority.cert });
        const other = await createAuthority("another");
        const endpoints = [{ name: "pd", url: listener.url }];
        const tls = { ca: other.cert, ...(await issue(other, ["client"])) };
        await assert.rejects(health(endpoints, tls), /PD_UNREACHABLE/);
        listener.renew({ ...(await issue(other, ["127.0.0.1"])), ca: other.cert });
        assert.deepEqual(await health(endpoints, tls), []);
        await listener.close();
    });

    it("takes certificates from the current Secrets that are complete", () => {
        const secrets = knownSecrets();
        const metadata = { namespace: "tidb", name: "basic-pd-cluster-secret" };
        const data = encoded(secretData(authority, server));
        assert.equal(secrets.update({ metadata, data }), true);
        assert.equal(secrets.update({ metadata, data: { ...data } }), false, "nothing new");
        assert.deepEqual(secrets.tls("tidb", metadata.name), { ca: authority.cert, ...server });
        assert.equal(secrets.tls("other", metadata.name), undefined);
        assert.equal(secrets.update({ metadata, data: { ...data, "tls.key": "" } }), true);
        assert.equal(secrets.has("tidb", metadata.name), true);
        assert.equal(secrets.tls("tidb", metadata.name), undefined);
        secrets.remove({ metadata });
        assert.equal(secrets.has("tidb", metadata.name), false);
    });
});
