import * as assert from "node:assert/strict";
import {
    ClientCertificate,
    certificateTrouble,
    readClientCertificate,
} from "../../../provider/cluster/clientCertificate";
import { createAuthority, issue, secretData, type Issued } from "../../support/certificates/certificates";
import { repeats } from "../../support/repeats";

const where = "tidb/basic-cluster-client-secret";

describe("the Secret with the client's certificate", () => {
    let authority: Issued;
    let client: Issued;
    before(async () => {
        authority = await createAuthority("tidb");
        client = await issue(authority, ["client"]);
    });
    const whole = () => secretData(authority, client);

    it("contains the authority, the certificate and the key", () => {
        assert.deepEqual(readClientCertificate(whole(), where), { ca: authority.cert, ...client });
    });

    it("is named, with what to do, if it is missing or unusable", async () => {
        const other = await issue(authority, ["other"]);
        const cases: [string, Record<string, string> | undefined, string[]][] = [
            ["missing", undefined, ["ca.crt, tls.crt and tls.key"]],
            ["without a key", { ...whole(), "tls.key": "" }, ["tls.key (", "ca.crt, tls.crt, tls.key"]],
            ["with another layout", { ca: "x" }, ["ca.crt and tls.crt and tls.key", "ca)"]],
            ["without PEM", { ...whole(), "ca.crt": "bm9uZQ==" }, ["ca.crt", "PEM"]],
            ["with a broken certificate", { ...whole(), "tls.crt": "x" }, ["tls.crt"]],
            ["with a broken key", { ...whole(), "tls.key": "x" }, ["tls.key", "unencrypted"]],
            ["with the key of another certificate", { ...whole(), "tls.key": other.key }, ["tls.key", "tls.crt"]],
        ];
        for (const [title, secret, names] of cases) {
            assert.throws(
                () => readClientCertificate(secret, where),
                (error: Error) => {
                    assert.equal(error.name, "ClientCertificateError", title);
                    repeats(error.message, "spec.tlsCluster", "tidb/basic-cluster-client-secret", ...names);
                    return !/PRIVATE KEY/.test(error.message);
                },
            );
        }
    });

    it("is valid, expired, not valid yet, or from another authority", async () => {
        const now = Date.now();
        const day = 24 * 3_600_000;
        const trouble = (data: Record<string, string>, at = now) =>
            certificateTrouble(readClientCertificate(data, where), where, at);
        assert.equal(trouble(whole()), undefined);
        const [expired, early] = [trouble(whole(), now + 366 * day), trouble(whole(), now - day)];
        repeats(expired, "tls.crt in Secret tidb/basic-");
        repeats(early, "tls.crt in Secret tidb/basic-");
        assert.notEqual(expired, early);
        const stranger = await createAuthority("another");
        repeats(trouble({ ...whole(), "ca.crt": stranger.cert }), "CN=tidb", "CN=another");
        const brief = await createAuthority("tidb", new Date(now + 1_000));
        const data = secretData(brief, await issue(brief, ["client"]));
        repeats(trouble(data, now + day), "ca.crt in Secret");
        const bundle = { ...whole(), "ca.crt": `${stranger.cert}\n${authority.cert}` };
        assert.equal(trouble(bundle), undefined, "of two authorities, one will do");
    });

    it("is read once, again on request, and again after it was missing", async () => {
        let secret: Record<string, string> | undefined;
        const asked: string[] = [];
        const readSecret = (namespace: string, name: string) => {
            asked.push(`${namespace}/${name}`);
            return Promise.resolve(secret);
        };
        const certificate = new ClientCertificate({ readSecret }, { namespace: "tidb", cluster: "basic" });
        await assert.rejects(certificate.read(), /does not exist/);
        secret = whole();
        assert.equal((await certificate.read()).cert, client.cert);
        await certificate.read();
        assert.deepEqual(asked, [where, where]);
        const before = await certificate.read();
        assert.equal(await certificate.isRenewed(), false);
        assert.equal(await certificate.read(), before, "another object would open new connections");
        const renewed = await issue(authority, ["client"]);
        secret = secretData(authority, renewed);
        assert.equal((await certificate.read()).cert, client.cert);
        assert.equal(await certificate.isRenewed(), true);
        assert.equal((await certificate.read()).cert, renewed.cert);
        assert.equal(await certificate.isRenewed(), false);
    });
});
