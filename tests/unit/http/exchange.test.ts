import * as assert from "node:assert/strict";
import { once } from "node:events";
import * as http from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { keepAliveAgent } from "../../../provider/http/agents";
import { exchange, type HttpRequest } from "../../../provider/http/exchange";
import { HttpError, RefusedBeforeSend } from "../../../provider/http/httpError";

const kibibyte = 1024;

/** Requests as a server receives them. */
interface Received {
    readonly line: string;
    readonly headers: http.IncomingHttpHeaders;
    readonly body: string;
}

describe("an HTTP exchange", () => {
    const servers: Server[] = [];
    let received: Received[];
    const serve = async (answer: http.RequestListener): Promise<string> => {
        const server = http.createServer((request, response) => {
            let body = "";
            request.on("data", (part: Buffer) => (body += part.toString()));
            request.on("end", () => {
                received.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
                answer(request, response);
            });
        });
        servers.push(server);
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const agent = keepAliveAgent(false, {});
    const ask = (url: string, more: Partial<HttpRequest> = {}) =>
        exchange({ url, agent, timeoutMilliseconds: 10_000, ...more });
    const failureOf = async (asked: Promise<unknown>): Promise<HttpError> => {
        const error = await asked.then(
            () => assert.fail("it succeeded"),
            (one: Error) => one,
        );
        assert.ok(error instanceof HttpError, String(error));
        return error;
    };
    beforeEach(() => (received = []));
    afterEach(() => {
        agent.destroy();
        servers.splice(0).forEach((server) => server.close());
    });

    it("is the same whether the server packs its answer or not", async () => {
        const text = JSON.stringify({ items: Array.from({ length: 50_000 }, (_, uid) => ({ uid })) });
        const plain = await serve((_, response) => response.end(text));
        const packed = await serve((_, response) =>
            response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(text)),
        );
        const answers = await Promise.all([plain, packed].map((url) => ask(url)));
        assert.ok(answers.every(({ status, body }) => status === 200 && body.toString() === text));
    });

    it("sends the body with its length, with a DELETE too: the API server would take it for the next request", async () => {
        const url = await serve((_, response) => response.end());
        for (const method of ["POST", "PATCH", "DELETE"]) {
            await ask(`${url}/pods/basic-tikv-2`, { method, body: '{"ü":1}' });
        }
        await ask(url, { method: "POST" });
        assert.deepEqual(
            received.map(({ line, headers, body }) => [line, headers["content-length"], body]),
            [
                ["POST /pods/basic-tikv-2", "8", '{"ü":1}'],
                ["PATCH /pods/basic-tikv-2", "8", '{"ü":1}'],
                ["DELETE /pods/basic-tikv-2", "8", '{"ü":1}'],
                ["POST /", "0", ""],
            ],
        );
    });

    it("returns a refusal with its status and its reason", async () => {
        const url = await serve((_, response) => response.writeHead(403).end("forbidden"));
        const { status, body } = await ask(url);
        assert.deepEqual([status, body.toString()], [403, "forbidden"]);
    });

    for (const status of [301, 302, 303, 307, 308]) {
        it(`takes no answer from another host, and sends no change on to it (${status})`, async () => {
            const other = await serve((_, response) => response.end('{"leaders":0}'));
            const url = await serve((_, response) => response.writeHead(status, { location: `${other}/x` }).end());
            const { message } = await failureOf(ask(url, { method: "POST", body: "change" }));
            assert.equal(message, `a redirect (${status}) to ${other}/x is not followed`);
            assert.equal((await ask(url, { returnsRedirects: true })).headers.location, `${other}/x`);
            assert.deepEqual(
                received.map(({ line }) => line),
                ["POST /", "GET /"],
            );
        });
    }

    it("takes no more memory than its bound for an answer that unpacks to a thousand times its length", async () => {
        const bomb = gzipSync(Buffer.alloc(100 * kibibyte * kibibyte, 32));
        const url = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
        const before = process.memoryUsage().arrayBuffers;
        const { message } = await failureOf(ask(url, { maxAnswerBytes: 1_048_576 }));
        assert.equal(message, "the answer is longer than 1 MiB, unpacked");
        assert.ok(process.memoryUsage().arrayBuffers - before < 32 * kibibyte * kibibyte);
    });

    it("reads no further once an answer is longer than its bound, and takes one of exactly that length", async () => {
        const long = Buffer.alloc(1_048_577, 32);
        const url = await serve((_, response) => response.end(long));
        const { message } = await failureOf(ask(url, { maxAnswerBytes: 1_048_576 }));
        assert.equal(message, "the answer is longer than 1 MiB, unpacked");
        const packed = await serve((_, response) =>
            response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(long.subarray(1))),
        );
        assert.equal((await ask(packed, { maxAnswerBytes: 1_048_576 })).body.length, 1_048_576);
    });

    it("does not take an answer for text whose packing it did not ask for", async () => {
        const url = await serve((_, response) => response.writeHead(200, { "content-encoding": "br" }).end("x"));
        const { message } = await failureOf(ask(url));
        assert.equal(message, "the answer is packed as br, which was not asked for");
    });

    const broken: Record<string, http.RequestListener> = {
        "whose packed text ends too early": (_, response) => {
            const packed = gzipSync("x".repeat(100_000));
            response.writeHead(200, { "content-encoding": "gzip" }).end(packed.subarray(0, packed.length / 2));
        },
        "whose connection ends too early": (_, response) => {
            response.writeHead(200, { "content-length": 1_000 });
            response.write("x", () => response.destroy());
        },
    };
    for (const [name, how] of Object.entries(broken)) {
        it(`never counts as whole: ${name}`, async () => {
            assert.equal((await failureOf(ask(await serve(how)))).sent, true);
        });
    }

    it("was certainly not sent if there was no connection, and may have been if an idle one was closed", async () => {
        const silent = createServer();
        await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
        const { port } = silent.address() as AddressInfo;
        await new Promise((resolve) => silent.close(resolve));
        assert.equal((await failureOf(ask(`http://127.0.0.1:${port}`))).sent, false);

        const sockets: Socket[] = [];
        const url = await serve((request, response) => {
            sockets.push(request.socket);
            if (sockets.length > 1) {
                request.socket.destroy();
            }
            response.end();
        });
        await ask(url);
        const { sent, isStale } = await failureOf(ask(url));
        assert.deepEqual([sockets[1] === sockets[0], sent, isStale], [true, true, true]);
    });

    describe("of a change that must not be sent any more", () => {
        const refuse = () => {
            throw new Error("the lock is lost");
        };
        const isRefused = (error: unknown) =>
            error instanceof RefusedBeforeSend && (error.reason as Error).message === "the lock is lost";

        it("sends nothing, on a new connection and on one that was used before", async () => {
            const url = await serve((_, response) => response.end());
            await assert.rejects(ask(url, { method: "DELETE", body: "x", beforeSend: refuse }), isRefused);
            await ask(url);
            await assert.rejects(ask(url, { method: "DELETE", body: "x", beforeSend: refuse }), isRefused);
            await ask(url);
            assert.deepEqual(
                received.map(({ line }) => line),
                ["GET /", "GET /"],
            );
        });

        it("asks after the connection is open, and after what is behind it is", async () => {
            const order: string[] = [];
            const server = http.createServer((_, response) => {
                order.push("received");
                response.end();
            });
            server.on("connection", () => order.push("connected"));
            servers.push(server);
            await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
            await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
                method: "POST",
                opened: async () => {
                    if (!order.includes("connected")) {
                        await once(server, "connection");
                    }
                    order.push("opened");
                },
                beforeSend: () => void order.push("asked"),
            });
            assert.deepEqual(order, ["connected", "opened", "asked", "received"]);
        });

        it("waits for what is behind the connection before it sends anything", async () => {
            const url = await serve((_, response) => response.end());
            let open: () => void = () => undefined;
            const opened = () => new Promise<void>((resolve) => (open = resolve));
            let asked = 0;
            const answer = ask(url, { method: "POST", opened, beforeSend: () => void (asked += 1) });
            await once(servers[0], "connection");
            // The server answers another request meanwhile, so it would have received this one, too.
            await ask(url, { agent: undefined });
            assert.deepEqual([asked, received.map(({ line }) => line)], [0, ["GET /"]]);
            open();
            await answer;
            assert.deepEqual([asked, received.length], [1, 2]);
        });
    });
});
