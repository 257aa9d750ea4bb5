import * as assert from "node:assert/strict";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { keepAliveAgent } from "../../../provider/http/agents";
import { exchange, type HttpRequest } from "../../../provider/http/exchange";
import { HttpError } from "../../../provider/http/httpError";

const limit = 300;
/** What a busy machine adds to it. */
const longest = 3_000;

describe("the time limit of an HTTP exchange", () => {
    let server: Server;
    let behaves: (socket: Socket) => void;
    let received: string;
    const sockets = new Set<Socket>();
    before(async () => {
        server = createServer((socket) => {
            sockets.add(socket);
            socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
            socket.on("data", (part) => (received += part.toString()));
            behaves(socket);
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    });
    beforeEach(() => (received = ""));
    afterEach(() => sockets.forEach((socket) => socket.destroy()));
    after(() => server.close());

    const fails = async (more: Partial<HttpRequest> = {}, scheme = "http"): Promise<HttpError> => {
        const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const agent = keepAliveAgent(scheme === "https", {});
        const began = performance.now();
        const error = await exchange({ url, agent, timeoutMilliseconds: limit, ...more }).then(
            () => assert.fail("it succeeded"),
            (one: Error) => one,
        );
        agent.destroy();
        assert.ok(error instanceof HttpError, String(error));
        assert.ok(performance.now() - began < longest, `it took ${performance.now() - began} ms`);
        return error;
    };
    const drip = (socket: Socket, head: string) => {
        socket.write(head);
        const more = setInterval(() => socket.write("x"), 20);
        socket.on("close", () => clearInterval(more));
    };

    const slow: Record<string, (socket: Socket) => void> = {
        "answers nothing": () => undefined,
        "goes on sending one header after the other": (socket) => drip(socket, "HTTP/1.1 200 OK\r\nx: "),
        "goes on sending its answer": (socket) => drip(socket, "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n"),
        "packs an answer that does not end": (socket) => {
            socket.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 100000\r\n\r\n");
            socket.write(gzipSync("x".repeat(1_000)).subarray(0, 20));
        },
    };
    for (const [name, how] of Object.entries(slow)) {
        it(`ends an exchange with a server that ${name}`, async () => {
            behaves = how;
            const { message, sent, isTimeout } = await fails();
            assert.deepEqual([message, sent, isTimeout], ["no answer within 300 ms", true, true]);
        });
    }

    it("ends a handshake that hangs, after which nothing was sent", async () => {
        behaves = () => undefined;
        const { message, sent } = await fails({ method: "POST", body: "change" }, "https");
        assert.deepEqual([message, sent], ["no answer within 300 ms", false]);
        const early = await fails({ connectTimeoutMilliseconds: 100 }, "https");
        assert.deepEqual(
            [early.message, early.sent, early.isTimeout],
            ["no TLS connection within 100 ms", false, false],
        );
        assert.doesNotMatch(received, /change/);
    });

    it("covers what is behind the connection, and nothing is sent when that opens later", async () => {
        behaves = () => undefined;
        let open: () => void = () => undefined;
        const opened = () => new Promise<void>((resolve) => (open = resolve));
        let asked = 0;
        const { sent, isTimeout } = await fails({ method: "POST", opened, beforeSend: () => void (asked += 1) });
        open();
        await new Promise((resolve) => setTimeout(resolve, 100));
        assert.deepEqual([sent, isTimeout, asked, received], [false, true, 0, ""]);
    });

    it("covers the wait for a connection while all are in use", async () => {
        behaves = () => undefined;
        const agent = keepAliveAgent(false, { maxSockets: 1 });
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const first = exchange({ url, agent, timeoutMilliseconds: longest }).catch((error: Error) => error);
        const { sent, isTimeout } = await fails({ agent });
        assert.deepEqual([sent, isTimeout], [false, true]);
        agent.destroy();
        await first;
    });
});
