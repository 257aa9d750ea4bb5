import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as http from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import * as path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { playPortForward } from "../../support/playedPortForward";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { type Forward, forwardPort, idleInForward } from "../../../provider/cluster/portForward";
import { exchange } from "../../../provider/http/exchange";
import { type LoopbackServer, startLoopbackServer } from "./loopbackServer";

const root = path.resolve(__dirname, "../../..");
/** How long a part of an answer, and a sign of life, may take on a busy machine. */
const every = 200;

/** @returns once it is so. @throws Error if it is not within ten seconds. */
async function until(what: string, isSo: () => boolean): Promise<void> {
    for (const end = Date.now() + 10_000; !isSo(); await pause(10)) {
        assert.ok(Date.now() < end, `not within 10 s: ${what}`);
    }
}

describe("a port-forward", () => {
    let pod: http.Server;
    let api: LoopbackServer;
    let forward: Forward;
    let agent: http.Agent;
    const tunnels = new Set<Socket>();
    let [opened, pings, answersPings] = [0, 0, true];
    let mayOpen: Promise<unknown> = Promise.resolve();
    before(async () => {
        pod = http.createServer((request, response) => {
            if (request.url !== "/long") {
                return response.end("ok");
            }
            const parts = setInterval(() => response.write("."), every / 10);
            setTimeout(() => {
                clearInterval(parts);
                response.end("ok");
            }, every * 8);
        });
        pod.keepAliveTimeout = 0;
        await new Promise<void>((resolve) => pod.listen(0, "127.0.0.1", resolve));
        api = await startLoopbackServer(
            () => undefined,
            (request, socket, head) => {
                opened += 1;
                tunnels.add(socket);
                socket.on("close", () => tunnels.delete(socket));
                void mayOpen.then(() =>
                    playPortForward(request, socket, head, (pod.address() as AddressInfo).port, () => {
                        pings += 1;
                        return answersPings;
                    }),
                );
            },
        );
    });
    after(async () => {
        pod.closeAllConnections();
        pod.close();
        await api.close();
    });
    beforeEach(async () => {
        [opened, pings, answersPings] = [0, 0, true];
        mayOpen = Promise.resolve();
        agent = new http.Agent({ keepAlive: true, timeout: idleInForward });
        const config = await loadKubeConfig({ kubeconfig: api.kubeconfig });
        forward = await forwardPort(config, "tidb", "basic-pd-0", 2379, every);
    });
    afterEach(async () => {
        agent.destroy();
        forward.close();
        await until("every tunnel has ended", () => tunnels.size === 0);
    });

    const get = (url = "/"): Promise<string> =>
        new Promise((resolve, reject) => {
            http.get(`http://127.0.0.1:${forward.port}${url}`, { agent }, (response) => {
                let text = "";
                response.on("data", (part: Buffer) => (text += part.toString()));
                response.on("end", () => resolve(text));
                response.on("error", reject);
            }).on("error", reject);
        });

    it("keeps a connection that carries nothing alive, and uses it again", async () => {
        assert.equal(await get(), "ok");
        await until("three signs of life were asked for", () => pings >= 3);
        assert.equal(await get(), "ok");
        assert.equal(opened, 1);
    });

    it("may be idle for as long as a wait needs, which asks TiKV for its configuration every two minutes", () => {
        assert.ok(idleInForward > 120_000);
    });

    it("ends a connection that was dropped without a word, and the next request opens another one", async () => {
        answersPings = false;
        assert.equal(await get(), "ok");
        const [socket] = Object.values(agent.freeSockets).flat();
        await until("the tunnel has ended", () => tunnels.size === 0);
        // The caller learns of it a moment later, and would send its next request into the old connection until then.
        await until("the caller's end has ended", () => socket?.destroyed === true);
        assert.equal(await get(), "ok");
        assert.equal(opened, 2);
    });

    it("ends a connection as soon as the pod does", async () => {
        assert.equal(await get(), "ok");
        const [socket] = Object.values(agent.freeSockets).flat();
        pod.closeAllConnections();
        await until("the caller's end has ended", () => socket?.destroyed === true);
        assert.equal(await get(), "ok");
        assert.equal(opened, 2);
    });

    it("does not end a connection on which a long answer is ahead of the sign of life", async () => {
        answersPings = false;
        assert.match(await get("/long"), /^\.+ok$/);
        assert.ok(pings >= 3, `${pings} signs of life were asked for meanwhile`);
    });

    it("asks whether a change may still be sent only once the pod is reached, however long that takes", async () => {
        let open: (value?: unknown) => void = () => undefined;
        mayOpen = new Promise((resolve) => (open = resolve));
        let asked = 0;
        const url = `http://127.0.0.1:${forward.port}`;
        const change = { url, agent, method: "POST", timeoutMilliseconds: 10_000, opened: forward.opened };
        const answer = exchange({ ...change, beforeSend: () => void (asked += 1) });
        await until("the tunnel is asked for", () => tunnels.size === 1);
        await pause(100);
        assert.equal(asked, 0);
        open();
        assert.equal((await answer).body.toString(), "ok");
        assert.equal((await exchange({ ...change, beforeSend: () => void (asked += 1) })).status, 200);
        assert.deepEqual([asked, opened], [2, 1]);
    });

    it("does not wait for ever for an API server that does not open it", async () => {
        const limited = await forwardPort(
            await loadKubeConfig({ kubeconfig: api.kubeconfig }),
            "tidb",
            "basic-pd-0",
            2379,
        );
        mayOpen = new Promise(() => undefined);
        const socket = connect(limited.port, "127.0.0.1");
        await once(socket, "close");
        assert.match(limited.trouble ?? "", /handshake has timed out/);
        limited.close();
        tunnels.forEach((tunnel) => tunnel.destroy());
    });

    it("leaves nothing open of a connection that was given up while it was opened", async () => {
        let open: (value?: unknown) => void = () => undefined;
        mayOpen = new Promise((resolve) => (open = resolve));
        const socket = connect(forward.port, "127.0.0.1");
        await until("the tunnel is asked for", () => tunnels.size === 1);
        socket.destroy();
        await pause(100);
        open();
        await until("the tunnel has ended", () => tunnels.size === 0);
    });

    it("does not keep the process alive once the answer is there", async () => {
        const script = `
            const http = require("node:http");
            const { forwardPort } = require(${JSON.stringify(path.join(root, "provider/cluster/portForward"))});
            const { loadKubeConfig } = require(${JSON.stringify(path.join(root, "provider/cluster/kubeConfig"))});
            (async () => {
                const config = await loadKubeConfig({ kubeconfig: process.env.PLAYED });
                const { port } = await forwardPort(config, "tidb", "basic-pd-0", 2379);
                const agent = new http.Agent({ keepAlive: true });
                http.get({ port, host: "127.0.0.1", agent }, (response) => {
                    response.on("end", () => console.log("answered"));
                    response.resume();
                });
            })();`;
        const run = spawn(process.execPath, ["--require", "tsx/cjs", "-e", script], {
            cwd: root,
            env: { ...process.env, PLAYED: api.kubeconfig },
            stdio: ["ignore", "pipe", "inherit"],
        });
        try {
            const [text] = (await once(run.stdout, "data")) as [Buffer];
            assert.equal(text.toString(), "answered\n");
            await until("the process has ended", () => run.exitCode !== null);
            assert.equal(run.exitCode, 0);
        } finally {
            run.kill();
        }
    });
});
