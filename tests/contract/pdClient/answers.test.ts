import * as assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createPdClient } from "../../../provider/pd";
import { serve, type Answer } from "../pd/server";
import { clientOf, errorOf, version } from "./clients";
import { repeats } from "../../support/repeats";

const html = { body: "<!DOCTYPE html><html>Sign in</html>", contentType: "text/html" };

describe("PD client: answers that are not PD's", () => {
    const cases: Record<string, { answer: Answer; message: RegExp }> = {
        "no JSON": { answer: { status: 200, body: '{"version": ' }, message: /\{"version":/ },
        nothing: { answer: { status: 200, body: "" }, message: /\(no text\)/ },
        "another field": {
            answer: { status: 200, body: '{"kind":"Status"}' },
            message: /version is nothing, expected text/,
        },
        "a page": { answer: { status: 200, ...html }, message: /Sign in/ },
        "a page with 404 that is not PD's": { answer: { status: 404, ...html }, message: /Sign in/ },
        "a request for TLS": {
            answer: {
                status: 400,
                body: "Client sent an HTTP request to an HTTPS server.\n",
                contentType: "text/plain",
            },
            message: /PD uses TLS: give an https address/,
        },
    };
    for (const [name, { answer, message }] of Object.entries(cases)) {
        it(`${name}: asks another member, and otherwise shows the answer in an error`, async () => {
            await using wrong = await serve(() => answer);
            await using right = await serve(() => version);
            using both = clientOf([wrong.url, right.url]);
            assert.equal(await both.version(), "v8.5.4");
            using alone = clientOf([wrong.url]);
            const error = await errorOf(() => alone.version());
            assert.equal(error.code, "PD_BAD_ANSWER");
            assert.match(error.message, message);
            assert.equal(alone.calls, 1);
        });
    }

    it("a page with status 404 does not mean that the object is missing", async () => {
        await using gateway = await serve(() => ({ status: 404, ...html }));
        using client = clientOf([gateway.url]);
        for (const ask of [() => client.store(1), () => client.evictedStores(), () => client.deleteMember("pd-2")]) {
            assert.equal((await errorOf(ask)).code, "PD_BAD_ANSWER");
        }
        assert.equal((await errorOf(() => client.endLeaderEviction(1))).code, "PD_BAD_ANSWER");
        assert.equal((await errorOf(() => client.memberReady("pd-0"))).code, "PD_BAD_ANSWER");
    });

    it("wrong answers are final only if no member can start to answer as PD does", async () => {
        await using wrong = await serve(() => ({ status: 200, ...html }));
        await using gone = await serve(() => "cut");
        using some = clientOf([wrong.url, gone.url]);
        assert.equal((await errorOf(() => some.version())).code, "PD_UNREACHABLE");
        using all = clientOf([wrong.url, wrong.url]);
        assert.equal((await errorOf(() => all.version())).code, "PD_BAD_ANSWER");
    });

    it("a gateway that finds no PD is reported as unreachable", async () => {
        await using gateway = await serve(() => ({ status: 502, ...html }));
        using client = clientOf([gateway.url]);
        assert.equal((await errorOf(() => client.version())).code, "PD_UNREACHABLE");
    });

    it("a member that answers 500 to ready is not ready; one that does not know the question is", async () => {
        let status = 500;
        await using member = await serve(() => ({ status, contentType: "text/plain" }));
        using client = clientOf([member.url]);
        assert.equal(await client.memberReady("pd-0"), false);
        status = 404;
        assert.equal(await client.memberReady("pd-0"), true);
    });

    it("an answer that trickles in without end is cut off in time", async () => {
        const server = createServer((socket) => {
            socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{");
            const trickle = setInterval(() => socket.write(" "), 50);
            socket.on("close", () => clearInterval(trickle)).on("error", () => clearInterval(trickle));
        }).listen(0, "127.0.0.1");
        await once(server, "listening");
        try {
            using client = clientOf([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
            const begun = Date.now();
            repeats((await errorOf(() => client.version())).message, "300 ms");
            assert.ok(Date.now() - begun < 2000);
        } finally {
            server.close();
        }
    });
});

describe("PD client: before the first store", () => {
    // As a real PD answers: the contract before the first store, which needs one.
    const body = '"[PD:cluster:ErrNotBootstrapped]TiKV cluster not bootstrapped, please start TiKV first"';
    for (const status of [500, 406]) {
        it(`nothing is empty or done that nobody has checked (${status})`, async () => {
            await using pd = await serve(() => ({ status, body }));
            using client = clientOf([pd.url]);
            const asked = [
                () => client.stores(),
                () => client.tombstoneStores(),
                () => client.store(1),
                () => client.schedulers(),
                () => client.evictedStores(),
                () => client.countRegionsInCheck("miss-peer"),
                () => client.beginLeaderEviction(1),
                () => client.endLeaderEviction(1),
            ];
            for (const ask of asked) {
                const error = await errorOf(ask);
                assert.equal(error.code, "PD_NOT_BOOTSTRAPPED");
            }
        });
    }
});

describe("PD client: placement rules", () => {
    it("are unknown, not empty, if they are switched off (412, tikv/pd server/api/rule.go)", async () => {
        await using pd = await serve(() => ({ status: 412, body: '"placement rules feature is disabled"' }));
        using client = clientOf([pd.url]);
        assert.equal(await client.placementRules(), undefined);
    });
});

describe("PD client: connections", () => {
    it("are kept, and a stale one is replaced", async () => {
        let staleAt = 0;
        await using server = await serve((request) => (request.connection === staleAt ? "cut" : version));
        using client = clientOf([server.url]);
        await client.version();
        await client.version();
        staleAt = 1;
        await client.version();
        assert.deepEqual(
            server.received.map(({ connection }) => connection),
            [1, 1, 1, 2],
        );
    });

    it("never go through a proxy from the environment", async () => {
        await using proxy = await serve(() => ({ status: 200, body: '{"version":"proxy"}' }));
        await using server = await serve(() => version);
        const before = { ...process.env };
        Object.assign(process.env, { http_proxy: proxy.url, HTTP_PROXY: proxy.url, no_proxy: "", NO_PROXY: "" });
        try {
            using client = clientOf([server.url]);
            assert.equal(await client.version(), "v8.5.4");
        } finally {
            for (const name of ["http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"]) {
                delete process.env[name];
                Object.assign(process.env, name in before ? { [name]: before[name] } : {});
            }
        }
    });

    it("end on close, even during a call, and no call follows", async () => {
        await using server = await serve(({ path }) => (path.endsWith("version") ? version : "hang"));
        const client = clientOf([server.url], { timeoutMilliseconds: 60_000 });
        await client.version();
        const running = assert.rejects(client.health());
        setTimeout(() => client.close(), 50);
        await running;
        await assert.rejects(client.version(), /closed/);
        assert.equal(server.received.length, 2);
    });

    it("refuse options that contradict each other", () => {
        const endpoint = { name: "pd-0", url: "http://pd-0:2379" };
        assert.throws(() => createPdClient({ endpoints: [] }), /endpoints is empty/);
        assert.throws(
            () => createPdClient({ endpoints: [{ name: "pd-0", url: "pd-0:2379" }] }),
            /pd-0.*http:\/\/host:port/,
        );
        assert.throws(() => createPdClient({ endpoints: [endpoint], tls: { ca: "" } }), /pd-0.*https/);
    });
});
