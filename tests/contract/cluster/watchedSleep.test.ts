import * as assert from "node:assert/strict";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { ClusterSession } from "../../../provider/cluster/session";
import { startWatchedApiServer, type WatchedApiServer } from "./watchedApiServer";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };

describe("the pause of a gate whose last look a watch answered for", function () {
    this.timeout(30_000);
    let server: WatchedApiServer;
    let ports: GatePorts;

    beforeEach(async () => {
        server = await startWatchedApiServer();
        const session = await ClusterSession.open({ kubeconfig: server.kubeconfig }, id, { ...id, tls: false });
        ports = session.ports({
            info: () => undefined,
            warn: () => undefined,
            note: () => undefined,
            status: () => undefined,
        });
        const look = () => ports.look({ components: ["tikv"], pd: [], status: [] }, {});
        for (const end = Date.now() + 20_000; !(await look()).mayLag;) {
            assert.ok(Date.now() < end, "the watch does not answer");
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    });
    afterEach(() => server.close());

    /** @returns how long a pause lasts during which a pod comes. */
    async function paused(...how: Parameters<GatePorts["sleep"]>): Promise<number> {
        const began = performance.now();
        const pause = ports.sleep(...how);
        const metadata = { name: "basic-tikv-0", namespace: "tidb", resourceVersion: "9" };
        server.send("pods", "ADDED", { metadata });
        await pause;
        return performance.now() - began;
    }

    it("ends with a change, but not before it may", async () => {
        const lasted = await paused(25_000, 500);
        assert.ok(lasted >= 495 && lasted < 10_000, `${lasted} ms`);
    });
    it("lasts for its time if no change may end it", async () => {
        const lasted = await paused(700);
        assert.ok(lasted >= 695, `${lasted} ms`);
    });
});
