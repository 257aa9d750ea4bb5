import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { Lag } from "../../../provider/cluster/gatePorts";
import { runOperation } from "../../../provider/gates/loop";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import { record } from "../../support/gates/recordedPorts";
import { now } from "../../support/lifecycle/observations";

const more = (part: "placement" | "leader-limits"): Move => ({ kind: "look", at: { parts: [part] } });
const act: Move = {
    kind: "act",
    step: "restart",
    target: "basic-tikv-3",
    action: { do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "1" },
};
const wait: Move = { kind: "wait", step: "store-up", target: "basic-tikv-3", waitingFor: "store 13", since: now };

/** @returns how much of what was seen before each look might use. */
async function lagsOf(moves: Move[], fails: number | undefined = undefined): Promise<(Lag | undefined)[]> {
    const ports = record();
    const { look } = ports;
    const lags: (Lag | undefined)[] = [];
    ports.look = async (options, lag) => {
        lags.push(lag);
        if (lags.length === fails) {
            throw new KubernetesApiError("the API server did not answer", undefined);
        }
        const seen = await look(options);
        return lag !== undefined && lag.isCloser === undefined ? { ...seen, mayLag: true } : seen;
    };
    const next = () => moves.shift() ?? { kind: "done" as const };
    await runOperation(
        { description: "roll out basic-tikv", look: { components: ["tikv"], pd: [], status: [] }, next },
        ports,
    );
    return lags;
}

describe("what is asked after a decision that needed more", () => {
    const closer = { isCloser: true };

    it("is that alone, each time", async () => {
        assert.deepEqual(await lagsOf([more("placement"), more("leader-limits")]), [undefined, closer, closer]);
    });

    it("is everything once the lock is taken, and after each action", async () => {
        assert.deepEqual(await lagsOf([more("placement"), act, more("leader-limits"), act]), [
            ...[undefined, closer],
            ...[undefined, closer, undefined],
        ]);
    });

    it("is everything if what it was decided from may lag", async () => {
        assert.deepEqual(await lagsOf([wait, more("placement"), wait]), [undefined, {}, {}, {}, undefined]);
    });

    it("is everything after a look that failed", async () => {
        assert.deepEqual(await lagsOf([more("placement")], 2), [undefined, closer, undefined]);
    });
});
