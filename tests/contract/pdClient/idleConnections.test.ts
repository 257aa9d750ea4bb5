import * as assert from "node:assert/strict";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { openConnections } from "../../../provider/pd/connection";

/** A server that counts its connections and answers after a while. */
async function counting(answerAfter: number) {
    let connections = 0;
    const server = http.createServer((_, response) => void setTimeout(() => response.end("ok"), answerAfter));
    server.keepAliveTimeout = 0;
    server.on("connection", () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, connections: () => connections, close: () => server.close() && server.closeAllConnections() };
}

function get(url: string, agent: http.Agent): Promise<string> {
    return new Promise((resolve, reject) => {
        http.get(url, { agent }, (response) => {
            let text = "";
            response.on("data", (part: Buffer) => (text += part.toString()));
            response.on("end", () => resolve(text));
        }).on("error", reject);
    });
}

describe("the PD client's idle connections", () => {
    const ask = async (answerAfter: number, idleTimeout: number | undefined, idle: number): Promise<number> => {
        const server = await counting(answerAfter);
        const endpoint = { name: "pd", url: server.url, idleMilliseconds: idleTimeout };
        const { agent, close } = openConnections(endpoint, undefined, 2_000);
        try {
            assert.equal(await get(server.url, agent), "ok");
            await pause(idle);
            assert.equal(await get(server.url, agent), "ok");
            return server.connections();
        } finally {
            close();
            server.close();
        }
    };

    it("are used again while they are young", async () => {
        assert.equal(await ask(0, undefined, 100), 1);
    });

    it("are closed after a time: what is on the way may have dropped them without a word", async () => {
        assert.equal(await ask(0, 50, 300), 2);
    });

    it("are not those on which an answer is awaited", async () => {
        assert.equal(await ask(400, 100, 0), 1);
    });
});
