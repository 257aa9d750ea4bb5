import * as assert from "node:assert/strict";
import * as http from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientCertificate } from "../../../provider/cluster/clientCertificate";
import { PodCalls, type PodEndpoint } from "../../../provider/cluster/podCalls";
import { type Listener, startListener } from "../../../sandbox/dataPlane/listener";
import { createAuthority, issue, type Issued } from "../../support/certificates/certificates";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const pod = { name: "basic-tiproxy-0", uid: "1" };
const service = "basic-tiproxy-peer";

/** As a server in Go: plain HTTP at a port of TLS is answered in plain text. */
async function likeGo(port: number, onConnection: (isTls: boolean) => void): Promise<Server> {
    const server = createServer((socket) => {
        socket.once("data", (first) => {
            onConnection(first[0] === 0x16);
            if (first[0] !== 0x16) {
                return socket.end("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
            }
            const inner = connect(port, "127.0.0.1", () => inner.write(first));
            inner.on("error", () => socket.destroy());
            socket.on("error", () => inner.destroy());
            socket.pipe(inner).pipe(socket);
        });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
}

describe("calls to a pod", () => {
    let authority: Issued;
    let listener: Listener;
    let front: Server;
    /** How many connections were opened. */
    const opened = { tls: 0, plain: 0 };
    let secret: { ca: string };
    before(async () => {
        authority = await createAuthority("one");
        const { cert, key } = await issue(authority, ["tidb.example"]);
        listener = await startListener(({ method, body }) => ({ status: 200, body: `${method} ${body}` }), {
            cert,
            key,
        });
        front = await likeGo(listener.port, (isTls) => (opened[isTls ? "tls" : "plain"] += 1));
        secret = { ca: authority.cert };
    });
    beforeEach(() => Object.assign(opened, { tls: 0, plain: 0 }));
    after(async () => {
        front.close();
        await listener.close();
    });

    function callsTo(
        endpoint: Partial<PodEndpoint>,
        withCertificate: boolean,
        { port } = front.address() as AddressInfo,
    ): PodCalls {
        const certificate = {
            read: () => Promise.resolve(secret),
            isRenewed: () => Promise.resolve(false),
            trouble: () => Promise.resolve(undefined),
        } as unknown as ClientCertificate;
        const given = withCertificate ? certificate : undefined;
        const calls = new PodCalls({} as never, id, given, { port: 3080, service, ...endpoint });
        const forward = { port, trouble: undefined };
        Object.assign(calls, { forwards: { to: () => Promise.resolve(forward) } });
        return calls;
    }
    const request = { method: "PUT", path: "/x", body: { a: 1 } } as const;
    const forwardOf = (calls: PodCalls): Promise<object> =>
        (calls as unknown as { forwards: { to(): Promise<object> } }).forwards.to();

    it("succeed with a certificate for other names if it is not checked", async () => {
        const { status, text } = await callsTo({ isUnchecked: true }, true).call(pod, request);
        assert.deepEqual([status, text], [200, 'PUT {"a":1}']);
    });

    it("are refused if it is checked", () =>
        assert.rejects(callsTo({}, true).call(pod, request), /does not answer: .*basic-tiproxy-0/));

    it("use TLS if only the pod speaks it, and say so", async () => {
        const { status, text } = await callsTo({ isUnchecked: true }, false).call(pod, request);
        assert.deepEqual([status, text], [200, 'PUT {"a":1}']);
    });

    it("end on time even if the pod goes on sending", async () => {
        const slow = createServer((socket) => {
            socket.on("error", () => undefined);
            socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
            const more = setInterval(() => socket.write("x"), 20);
            socket.on("close", () => clearInterval(more));
        });
        await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
        const calls = callsTo({ timeoutMilliseconds: 200 }, false);
        const { port } = slow.address() as AddressInfo;
        Object.assign(calls, { forwards: { to: () => Promise.resolve({ port, trouble: undefined }) } });
        await assert.rejects(calls.call(pod, { path: "/metrics" }), /does not answer: no answer within 200 ms/);
        slow.close();
    });

    it("share a connection, even if nobody asks for longer than the five seconds after which Node ends one", async () => {
        let connections = 0;
        const server = http
            .createServer((_, response) => response.end("ok"))
            .on("connection", () => (connections += 1));
        server.keepAliveTimeout = 0;
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const plain = callsTo({}, false, server.address() as AddressInfo);
        const certified = callsTo({ isUnchecked: true }, true);
        for (const longer of [0, 5_500]) {
            await pause(longer);
            assert.equal((await plain.call(pod, { path: "/metrics" })).text, "ok");
            assert.equal((await certified.call(pod, request)).status, 200);
        }
        assert.deepEqual([connections, opened], [1, { tls: 1, plain: 0 }]);
        server.closeAllConnections();
        server.close();
    });

    it("get a connection of their own once the client certificate has changed", async () => {
        const calls = callsTo({ isUnchecked: true }, true);
        await calls.call(pod, request);
        secret = { ca: authority.cert };
        await calls.call(pod, request);
        await calls.call(pod, request);
        assert.equal(opened.tls, 2);
    });

    it("remember that only TLS is served, until that fails", async () => {
        const calls = callsTo({ isUnchecked: true }, false);
        await calls.call(pod, request);
        await calls.call(pod, request);
        assert.equal(opened.plain, 1);
        const server = http.createServer((_, response) => response.end("plain"));
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        Object.assign(await forwardOf(calls), server.address());
        await assert.rejects(calls.call(pod, request), /does not answer/);
        assert.equal((await calls.call(pod, request)).text, "plain");
        server.closeAllConnections();
        server.close();
    });

    it("do not switch to TLS if the certificate would have to be checked", async () => {
        assert.equal((await callsTo({}, false).call(pod, request)).status, 400);
    });
});
