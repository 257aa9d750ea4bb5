import * as assert from "node:assert/strict";
import { record, run } from "../../support/gates/recordedPorts";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import { now } from "../../support/lifecycle/observations";
import { isFailure } from "../../support/failsWith";

describe("a gate that waits for the lock of another run", () => {
    const restart: Move = {
        kind: "act",
        step: "pod-deleted",
        target: "basic-tikv-2",
        action: { do: "delete-pod", pod: "basic-tikv-2", uid: "2", resourceVersion: "2" },
    };
    /** Another TidbCluster on the same PD works for half an hour. Nobody holds this cluster's own Lease. */
    const heldBy = { holder: "ben (else/where)", until: now + 1_800_000 };

    it("ends when it is asked to stop, and does not wait until the other run has ended", async () => {
        const ports = record({ heldBy });
        const { lease } = ports;
        ports.lease = async () => ({
            ...(await lease())!,
            ...(ports.time > now + 5_000 ? { stopAsked: "eva" } : {}),
        });
        const { error } = await run(ports, [restart]);
        assert.ok(
            ports.time < now + 60_000,
            `it waited for ${(ports.time - now) / 1000} s after all: ${error?.message}`,
        );
        isFailure(error, "stopped", { names: "eva" });
    });
});
