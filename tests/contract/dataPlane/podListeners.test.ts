import * as assert from "node:assert/strict";
import { connect } from "node:net";
import { systemClock } from "../../../sandbox/dataPlane/clock";
import type { Listener } from "../../../sandbox/dataPlane/listener";
import type { Component } from "../../../sandbox/dataPlane/model/events";
import { startPodListener } from "../../../sandbox/dataPlane/podListeners";
import { settledCluster } from "../../../sandbox/dataPlane/settledCluster";

/** Connects and sends nothing. @returns what becomes of the connection within 200 ms. */
function connection({ port }: Listener): Promise<string> {
    return new Promise((resolve) => {
        const socket = connect({ port, host: "127.0.0.1" });
        const timer = setTimeout(() => end("open"), 200);
        const end = (what: string): void => {
            clearTimeout(timer);
            socket.destroy();
            resolve(what);
        };
        socket.on("error", ({ code }: NodeJS.ErrnoException) => end(code ?? "error"));
        socket.on("close", () => end("closed"));
    });
}

describe("a simulated pod's port", () => {
    const members: Component[] = ["pd", "tikv", "tidb", "tiflash", "ticdc"];
    members.forEach((component) =>
        it(`refuses connections before a call while no process of ${component} runs, which a port-forward passes on at once`, async () => {
            const { state, cluster } = settledCluster({ tidb: 1, tiflash: 1, ticdc: 1 });
            const pod = `basic-${component}-0`;
            const listener = await startPodListener(state, component, pod, systemClock);
            try {
                assert.equal(await connection(listener), "open");
                cluster.stopPod(pod);
                assert.equal(await connection(listener), "ECONNRESET");
            } finally {
                await listener.close();
            }
        }),
    );
});
