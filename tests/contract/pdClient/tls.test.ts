import * as assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createPdClient, type PdTls } from "../../../provider/pd";
import { serve } from "../pd/server";
import { createAuthority, issue, type Issued } from "../../support/certificates/certificates";
import { errorOf, version } from "./clients";
import { repeats } from "../../support/repeats";

const serverName = "basic-pd-0.basic-pd-peer.tidb.svc";

describe("PD client over TLS", () => {
    let authority: Issued;
    let stranger: Issued;
    let server: Issued;
    let client: Issued;
    before(async () => {
        [authority, stranger] = await Promise.all([createAuthority("tidb"), createAuthority("another")]);
        [server, client] = await Promise.all([issue(authority, [serverName]), issue(authority, ["client"])]);
    });
    const serveTls = (own: Issued = server) =>
        serve(() => version, { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: true });
    const ask = async (url: string, tls: PdTls | undefined, servername?: string, otherNames?: string[]) => {
        const endpoints = [{ name: "pd-0", url, servername, otherNames }];
        const pd = createPdClient({ endpoints, tls, timeoutMilliseconds: 1000 });
        try {
            return await pd.version();
        } finally {
            pd.close();
        }
    };
    const trusted = (): PdTls => ({ ca: authority.cert, ...client });

    it("shows its certificate and checks the server's under the given name", async () => {
        await using pd = await serveTls();
        assert.equal(await ask(pd.url, trusted(), serverName), "v8.5.4");
    });

    it("refuses a server with another name", async () => {
        await using pd = await serveTls();
        const error = await errorOf(() => ask(pd.url, trusted(), "other-pd-0"));
        assert.equal(error.code, "PD_UNREACHABLE");
        repeats(error.message, "other-pd-0");
        assert.equal((await errorOf(() => ask(pd.url, trusted()))).code, "PD_UNREACHABLE");
        assert.equal(pd.received.length, 0);
    });

    it("refuses a server from another authority", async () => {
        await using pd = await serveTls();
        const error = await errorOf(() => ask(pd.url, { ...trusted(), ca: stranger.cert }, serverName));
        assert.equal(error.code, "PD_UNREACHABLE");
        assert.equal((await errorOf(() => ask(pd.url, undefined, serverName))).code, "PD_UNREACHABLE");
        assert.equal(pd.received.length, 0);
    });

    it("is refused without a certificate, or with one from another authority", async () => {
        await using pd = await serveTls();
        for (const own of [{}, await issue(stranger, ["client"])]) {
            const error = await errorOf(() => ask(pd.url, { ca: authority.cert, ...own }, serverName));
            assert.equal(error.code, "PD_UNREACHABLE");
        }
        assert.equal(pd.received.length, 0);
    });

    it("accepts a certificate for any of the server's names", async () => {
        await using pd = await serveTls();
        assert.equal(await ask(pd.url, trusted(), `${serverName}.one.example`, ["basic-pd", serverName]), "v8.5.4");
        const error = await errorOf(() => ask(pd.url, trusted(), "other-pd-0", ["another"]));
        assert.equal(error.code, "PD_UNREACHABLE");
    });

    it("says that a server's certificate has expired", async () => {
        const [notBefore, notAfter] = [new Date(Date.now() - 7_200_000), new Date(Date.now() - 3_600_000)];
        await using pd = await serveTls(await issue(authority, [serverName], { notBefore, notAfter }));
        const error = await errorOf(() => ask(pd.url, trusted(), serverName));
        repeats(error.message, "expired");
    });

    it("says that the server does not speak TLS", async () => {
        await using plain = await serve(() => version);
        const error = await errorOf(() => ask(plain.url.replace("http:", "https:"), trusted(), serverName));
        assert.equal(error.code, "PD_UNREACHABLE");
    });

    it("gives up a handshake that hangs before the time of the whole request", async () => {
        const mute = createServer().listen(0, "127.0.0.1");
        await once(mute, "listening");
        const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
        const endpoints = [{ name: "pd-0", url }];
        const pd = createPdClient({ endpoints, timeoutMilliseconds: 30_000, connectTimeoutMilliseconds: 200 });
        try {
            const begun = Date.now();
            const error = await errorOf(() => pd.resignLeader());
            repeats(error.message, "200 ms");
            assert.doesNotMatch(error.message, /may have carried it out/);
            assert.ok(Date.now() - begun < 5000);
        } finally {
            pd.close();
            mute.close();
        }
    });
});
