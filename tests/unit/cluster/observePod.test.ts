import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { observePod } from "../../../provider/cluster/objects";

describe("a pod, as gates observe it", () => {
    it("is made no later than its `createdAt`: a heartbeat in the second before its restart is not its own", () => {
        const made = new Date("2026-11-21T14:00:10.950Z");
        const written = new Date("2026-11-21T14:00:10Z"); // As Kubernetes writes it: whole seconds, the rest cut off.
        const pod: V1Pod = { metadata: { name: "basic-tikv-2", uid: "1", creationTimestamp: written } };
        const observed = observePod(pod);
        assert.ok(observed && observed.createdAt >= made.getTime());
        const lastHeartbeatOfItsForerunner = new Date("2026-11-21T14:00:10.800Z").getTime();
        assert.ok(lastHeartbeatOfItsForerunner < observed.createdAt);
    });
});
