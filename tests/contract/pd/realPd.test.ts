import * as assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect as connectTls, type PeerCertificate } from "node:tls";
import { createPdClient } from "../../../provider/pd";
import { createAuthority, issue, type Issued } from "../../support/certificates/certificates";
import { markAt, newStoreContract, pdContract, pdNotBootstrappedContract, type PdSubject } from "./pdContract";
import { withPdServer, type RealPd, type RealPdTls, startPd } from "./realPd";
import { startStores, type RealStores } from "./realStores";
import { memberNames, serverName } from "./serverNames";

withPdServer("PD contract: a real pd-server", (command) => {
    pdNotBootstrappedContract(`a real ${command}, one member`, async () => {
        const pd = await startPd(command, 1);
        return { ...pd, mark: markAt(pd.endpoints[0].url) };
    });
    pdContract(`a real ${command}, three members`, () => connect(command));
    pdContract(`a real ${command}, three members, over mutual TLS`, async () => connect(command, await certificates()));
    newStoreContract(`a real ${command}`, async () => {
        const pd = await startPd(command, 1);
        const members = pd.endpoints.map(({ url }) => url);
        const often = { regionHeartbeatMilliseconds: 1000, storeHeartbeatMilliseconds: 500 };
        const clusterId = await pd.client.clusterId();
        const stores = await startStores({ members, clusterId, ids: [11], ...often, reconnect: "resends" });
        return {
            client: pd.client,
            url: members[0],
            register: () => stores.register(12).then(() => 12),
            report: stores.report,
            close: () => {
                stores.close();
                return pd.close();
            },
        };
    });
    refusesStrangers(command);
});

function refusesStrangers(pdServer: string): void {
    describe(`a real ${pdServer} with mutual TLS, and clients that it does not know`, function () {
        this.timeout(60_000);
        let pd: RealPd;
        let tls: RealPdTls & { authority: Issued };
        before(async () => {
            tls = await certificates();
            pd = await startPd(pdServer, 1, tls);
        });
        after(() => pd?.close());

        const refused = async (own: Partial<Issued>) => {
            const client = createPdClient({ endpoints: pd.endpoints, tls: { ca: tls.ca, ...own } });
            try {
                await assert.rejects(client.health(), (error: Error) => {
                    assert.match(error.message, /PD_UNREACHABLE/);
                    assert.match(error.message, /client's certificate/);
                    return true;
                });
            } finally {
                client.close();
            }
        };
        it("refuses a client without a certificate", () => refused({}));
        it("refuses a certificate from another authority", async () =>
            refused(await issue(await createAuthority("another"), ["client"])));
        it("accepts a certificate that was renewed while it runs", async () => {
            const member = await issue(tls.authority, [...memberNames, "127.0.0.1"]);
            pd.renew({ ...tls, member });
            const client = createPdClient({ endpoints: pd.endpoints, tls: { ca: tls.ca, ...tls.client } });
            assert.equal((await client.health()).length, 1);
            client.close();
            const serial = new X509Certificate(member.cert).serialNumber;
            assert.equal((await certificateOf(pd.endpoints[0].url, tls)).serialNumber, serial);
        });
    });
}

/** The certificate that a server shows. */
async function certificateOf(url: string, tls: RealPdTls): Promise<PeerCertificate> {
    const { hostname, port } = new URL(url);
    const socket = connectTls({ host: hostname, port: Number(port), ca: tls.ca, ...tls.client });
    await once(socket, "secureConnect");
    const certificate = socket.getPeerCertificate();
    socket.destroy();
    return certificate;
}

async function certificates(): Promise<RealPdTls & { authority: Issued }> {
    const authority = await createAuthority("tidb");
    return {
        authority,
        ca: authority.cert,
        // Members call each other by their addresses here, and the client calls them by their names.
        member: await issue(authority, [...memberNames, "127.0.0.1"]),
        client: await issue(authority, ["client"], { usages: ["client auth"] }),
        serverName,
    };
}

async function connect(pdServer: string, tls?: RealPdTls): Promise<PdSubject> {
    const pd = await startPd(pdServer, 3, tls);
    let stores: RealStores | undefined;
    try {
        stores = await startStores({
            members: pd.endpoints.map(({ url }) => url),
            clusterId: await pd.client.clusterId(),
            ids: [14, 11, 12, 13],
            regionHeartbeatMilliseconds: 1000,
            storeHeartbeatMilliseconds: 500,
            reconnect: "resends",
            tls,
        });
    } catch (error) {
        await pd.close();
        throw error;
    }
    return {
        client: pd.client,
        members: pd.endpoints.map(({ name }) => name),
        // The first one registered holds the only region; the others are drained from the start.
        stores: { evict: [11, 12], remove: 14, drain: 13 },
        unknownStore: 999,
        live: true,
        mark: tls ? undefined : markAt(pd.endpoints[0].url),
        stopMember: pd.stopMember,
        close: () => {
            stores?.close();
            return pd.close();
        },
    };
}
