import * as assert from "node:assert/strict";
import { register } from "node:module";
import type { ClientCertificate } from "../../../provider/cluster/clientCertificate";
import { Microservices } from "../../../provider/cluster/microservices";
import { PodForwards } from "../../../provider/cluster/podForwards";
import * as pd from "../../../provider/pd";
import { type Listener, startListener } from "../../../sandbox/dataPlane/listener";
import { createAuthority, issue, type Issued } from "../../support/certificates/certificates";
import { allowed } from "../../support/cluster/podCallsOf";
import { repeats } from "../../support/repeats";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const from = { name: "basic-tso-0", uid: "uid-0" };

/** Clients that were made and not closed. */
let open = 0;

/**
 * The published package loads PD's client by `import`, which finds no TypeScript by itself: here it finds the one that
 * this file has loaded.
 */
function registerPd(): void {
    const loaded = "export const createPdClient = (options) => globalThis.pdOfTests.createPdClient(options);";
    const hooks = `export const resolve = (name, from, next) =>
        name === "../pd/index.js" && /microservices\\.ts/.test(from.parentURL)
            ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(loaded)}`)}, shortCircuit: true }
            : next(name, from);`;
    const createPdClient = (options: pd.PdClientOptions) => {
        const client = pd.createPdClient(options);
        open += 1;
        const close = () => {
            open -= 1;
            client.close();
        };
        return { guardedBy: client.guardedBy, transferPrimary: client.transferPrimary, close };
    };
    Object.assign(globalThis, { pdOfTests: { createPdClient } });
    register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}

describe("the primary of a microservice", () => {
    let authority: Issued;
    let listeners: { plain: Listener; tls: Listener; across: Listener };
    let asked: string[];
    let status: number;
    let kept: string[][];
    let forwarded: string[];
    before(async () => {
        registerPd();
        authority = await createAuthority("one");
        const start = async (name?: string) => {
            const certificate = name === undefined ? undefined : await issue(authority, [name]);
            return startListener(({ method, url, body }) => {
                asked.push(`${method} ${url.pathname} ${body}`);
                return { status, body: '"no"', contentType: "application/json" };
            }, certificate);
        };
        const full = "basic-tso-0.basic-tso-peer.tidb.svc";
        listeners = { plain: await start(), tls: await start(full), across: await start(`${full}.one.example`) };
    });
    after(() => Promise.all(Object.values(listeners).map((one) => one.close())));
    const real = { to: PodForwards.prototype.to, keepOnly: PodForwards.prototype.keepOnly };
    beforeEach(() => ([asked, status, kept, forwarded] = [[], 200, [], []]));
    afterEach(() => {
        Object.assign(PodForwards.prototype, real);
        assert.equal(open, 0, "a connection to a pod that goes may hang");
    });

    const transfer = (
        to: keyof typeof listeners,
        domain?: string,
        hasCertificate = to !== "plain",
        assertAllowed = allowed,
    ) => {
        const certificate = { read: () => Promise.resolve({ ca: authority.cert }) } as unknown as ClientCertificate;
        const microservices = new Microservices({} as never, id, hasCertificate ? certificate : undefined, domain);
        PodForwards.prototype.keepOnly = (pods) => kept.push(pods.map(({ name }) => name));
        PodForwards.prototype.to = function ({ name }) {
            const { namespace, port } = this as unknown as { namespace: string; port: number };
            forwarded.push(`${namespace}/${name}:${port}`);
            return Promise.resolve({ port: listeners[to].port, trouble: undefined, close: () => undefined });
        };
        return microservices.transferPrimary("tso", from, "basic-tso-1", assertAllowed);
    };

    it("hands over when it is asked itself, through a forward to its own pod", async () => {
        await transfer("plain");
        assert.deepEqual(asked, ['POST /tso/api/v1/primary/transfer {"new_primary":"basic-tso-1"}']);
        assert.deepEqual([kept, forwarded], [[["basic-tso-0"]], ["tidb/basic-tso-0:2379"]]);
    });

    it("is asked over TLS by the name in its certificate, also in another cluster domain", async () => {
        await transfer("tls");
        await transfer("across", "one.example");
        assert.equal(asked.length, 2);
    });

    it("is not asked if its certificate is for another domain", async () => {
        await assert.rejects(transfer("across"), /basic-tso-0/);
        assert.deepEqual(asked, []);
    });

    it("is not asked once the lock is lost while the connection to it is opened", async () => {
        const lost = () => {
            throw new Error("the lock is lost");
        };
        await assert.rejects(transfer("plain", undefined, false, lost), { message: "the lock is lost" });
        await assert.rejects(transfer("tls", undefined, true, lost), { message: "the lock is lost" });
        assert.deepEqual(asked, []);
    });

    it("is named in the error if it refuses", async () => {
        status = 500;
        await assert.rejects(transfer("plain"), (error: Error & { code?: string }) => {
            assert.equal(error.code, "PD_REFUSED");
            repeats(error.message, "basic-tso-1", "tso");
            return true;
        });
    });
});
