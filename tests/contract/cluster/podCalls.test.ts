import * as assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import type { ClientCertificate } from "../../../provider/cluster/clientCertificate";
import { PodCalls, type PodEndpoint } from "../../../provider/cluster/podCalls";
import { type Listener, startListener } from "../../../sandbox/dataPlane/listener";
import { createAuthority, issue, type Issued } from "../../support/certificates/certificates";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const pod = { name: "basic-tiproxy-0", uid: "1" };
const service = "basic-tiproxy-peer";

/** As a server in Go: plain HTTP at a port of TLS is answered in plain text. */
async function likeGo(port: number): Promise<Server> {
    const server = createServer((socket) => {
        socket.once("data", (first) => {
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
    before(async () => {
        authority = await createAuthority("one");
        const { cert, key } = await issue(authority, ["tidb.example"]);
        listener = await startListener(({ method, body }) => ({ status: 200, body: `${method} ${body}` }), {
            cert,
            key,
        });
        front = await likeGo(listener.port);
    });
    after(async () => {
        front.close();
        await listener.close();
    });

    function callsTo(endpoint: Partial<PodEndpoint>, withCertificate: boolean): PodCalls {
        const certificate = {
            read: () => Promise.resolve({ ca: authority.cert, cert: undefined, key: undefined }),
            isRenewed: () => Promise.resolve(false),
            trouble: () => Promise.resolve(undefined),
        } as unknown as ClientCertificate;
        const given = withCertificate ? certificate : undefined;
        const calls = new PodCalls({} as never, id, given, { port: 3080, service, ...endpoint });
        const { port } = front.address() as AddressInfo;
        Object.assign(calls, { forwards: { to: () => Promise.resolve({ port, trouble: undefined }) } });
        return calls;
    }
    const request = { method: "PUT", path: "/x", body: { a: 1 } } as const;

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
        await assert.rejects(calls.call(pod, { path: "/metrics" }), /does not answer: timeout of 200ms exceeded/);
        slow.close();
    });

    it("do not switch to TLS if the certificate would have to be checked", async () => {
        assert.equal((await callsTo({}, false).call(pod, request)).status, 400);
    });
});
