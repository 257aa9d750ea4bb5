import * as assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { generate, type GenerateResult, type SelfsignedOptions } from "selfsigned";
import { createPdClient, type PdTls } from "../../../provider/pd";
import { serve } from "../../contract/pd/server";
import { errorOf, version } from "./clients";

const serverName = "basic-pd-0.basic-pd-peer.tidb.svc";

describe("PD client over TLS", () => {
    let authority: GenerateResult;
    let stranger: GenerateResult;
    let server: GenerateResult;
    let client: GenerateResult;
    before(async () => {
        [authority, stranger] = await Promise.all([createAuthority("tidb"), createAuthority("another")]);
        [server, client] = await Promise.all([signed(authority, serverName), signed(authority, "client")]);
    });
    const serveTls = () =>
        serve(() => version, {
            key: server.private,
            cert: server.cert,
            ca: authority.cert,
            requestCert: true,
            rejectUnauthorized: true,
        });
    const ask = async (url: string, tls: PdTls | undefined, servername?: string) => {
        const pd = createPdClient({ endpoints: [{ name: "pd-0", url, servername }], tls, timeoutMilliseconds: 1000 });
        try {
            return await pd.version();
        } finally {
            pd.close();
        }
    };
    const trusted = (): PdTls => ({ ca: authority.cert, cert: client.cert, key: client.private });

    it("shows its certificate and checks the server's under the name given", async () => {
        await using pd = await serveTls();
        assert.equal(await ask(pd.url, trusted(), serverName), "v8.5.4");
    });

    it("refuses a server of another name", async () => {
        await using pd = await serveTls();
        const error = await errorOf(() => ask(pd.url, trusted(), "other-pd-0"));
        assert.equal(error.code, "PD_UNREACHABLE");
        assert.match(error.message, /other-pd-0.*Check the authority/);
        assert.equal((await errorOf(() => ask(pd.url, trusted()))).code, "PD_UNREACHABLE");
        assert.equal(pd.received.length, 0);
    });

    it("refuses a server of another authority", async () => {
        await using pd = await serveTls();
        const error = await errorOf(() => ask(pd.url, { ...trusted(), ca: stranger.cert }, serverName));
        assert.equal(error.code, "PD_UNREACHABLE");
        assert.match(error.message, /Check the authority/);
        assert.equal((await errorOf(() => ask(pd.url, undefined, serverName))).code, "PD_UNREACHABLE");
        assert.equal(pd.received.length, 0);
    });

    it("is refused without a certificate, or with one of another authority", async () => {
        await using pd = await serveTls();
        const { cert, private: key } = await signed(stranger, "client");
        for (const own of [{}, { cert, key }]) {
            const error = await errorOf(() => ask(pd.url, { ca: authority.cert, ...own }, serverName));
            assert.equal(error.code, "PD_UNREACHABLE");
            assert.match(error.message, /client's certificate/);
        }
        assert.equal(pd.received.length, 0);
    });

    it("says so where the server speaks no TLS", async () => {
        await using plain = await serve(() => version);
        const error = await errorOf(() => ask(plain.url.replace("http:", "https:"), trusted(), serverName));
        assert.equal(error.code, "PD_UNREACHABLE");
        assert.match(error.message, /Check that PD speaks TLS/);
    });

    it("gives up a handshake that hangs, before the time for the whole request", async () => {
        const mute = createServer().listen(0, "127.0.0.1");
        await once(mute, "listening");
        const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
        const endpoints = [{ name: "pd-0", url }];
        const pd = createPdClient({ endpoints, timeoutMilliseconds: 30_000, connectTimeoutMilliseconds: 200 });
        try {
            const begun = Date.now();
            const error = await errorOf(() => pd.resignLeader());
            assert.match(error.message, /no TLS connection within 200 ms/);
            assert.doesNotMatch(error.message, /may have been carried out/);
            assert.ok(Date.now() - begun < 5000);
        } finally {
            pd.close();
            mute.close();
        }
    });
});

/** An authority that may sign, which `generate` does not make unless it is told. */
function createAuthority(name: string): Promise<GenerateResult> {
    const extensions: SelfsignedOptions["extensions"] = [
        { name: "basicConstraints", cA: true },
        { name: "keyUsage", keyCertSign: true },
    ];
    return generate([{ name: "commonName", value: name }], { keySize: 2048, algorithm: "sha256", extensions });
}

/** A certificate for a DNS name, for servers and clients. */
function signed(authority: GenerateResult, name: string): Promise<GenerateResult> {
    const ca = { key: authority.private, cert: authority.cert };
    return generate([{ name: "commonName", value: name }], { keySize: 2048, algorithm: "sha256", ca });
}
