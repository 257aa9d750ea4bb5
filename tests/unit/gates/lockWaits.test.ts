import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { takeLock } from "../../../provider/gates/takeLock";
import type { LockAnswer } from "../../../provider/cluster/gatePorts";
import { record, watched } from "../../support/gates/recordedPorts";
import { now } from "../../support/lifecycle/observations";

describe("waiting for another run's lock", () => {
    const lock = { release: () => Promise.resolve() } as Extract<LockAnswer, { lock: unknown }>["lock"];
    const held = (expiresAt?: number): LockAnswer => ({
        heldBy: "ana@laptop",
        operation: "roll out basic-pd",
        expiresAt,
    });
    const take = async (answers: (LockAnswer | Error)[]) => {
        const { ports, statuses, pauses } = watched();
        ports.tryLock = () => {
            const answer = answers.shift() ?? { lock };
            return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        };
        const taken = await takeLock({ description: "destroy basic" }, ports);
        return { taken, statuses, pauses, ports };
    };

    for (const [left, pause, seconds] of [
        [14_500, 1_000, 15],
        [700, 700, 1],
        [20, 100, 1],
        [-300, 100, 0],
    ] as const) {
        it(`says when the lock expires, and tries again after ${pause} ms if ${left} ms are left`, async () => {
            const { statuses, pauses, taken } = await take([held(now + left)]);
            assert.deepEqual(pauses, [pause]);
            assert.deepEqual(statuses, [
                `waiting for ana@laptop (roll out basic-pd); its lock expires in ${seconds} s unless it is renewed`,
            ]);
            assert.equal(taken, lock);
        });
    }

    it("leaves PD's lock alone for five seconds, because PD does not say when it expires", async () => {
        const { statuses, pauses } = await take([held()]);
        assert.deepEqual([statuses, pauses], [["waiting for ana@laptop (roll out basic-pd)"], [5_000]]);
    });

    it("survives a short silence of an API server that has answered before", async () => {
        const silent = new KubernetesApiError("the API server did not answer", undefined);
        const { taken, ports } = await take([silent, held(now + 500), silent]);
        assert.equal(taken, lock);
        assert.ok(ports.time > now);
    });

    it("survives a short time without an answer about the Lease, if there was one before", async () => {
        const { ports } = watched();
        const { lease } = ports;
        const silent = new KubernetesApiError("the API server did not answer", undefined);
        const answers = [lease, () => Promise.reject(silent), lease];
        ports.lease = () => answers.shift()!();
        ports.tryLock = () => Promise.resolve(answers.length > 0 ? held(now + 500) : { lock });
        assert.equal(await takeLock({ description: "destroy basic" }, ports), lock);
    });

    it("fails at once if nobody ever answered", async () => {
        const { ports } = watched();
        ports.lease = () => Promise.reject(new KubernetesApiError("the API server did not answer", undefined));
        await assert.rejects(takeLock({ description: "destroy basic" }, ports), /did not answer/);
        assert.equal(ports.time, now);
    });

    it("ends after an hour or when the Lease is gone, and says what to do", async () => {
        const { ports } = watched();
        ports.tryLock = () => Promise.resolve(held(Infinity));
        await assert.rejects(takeLock({ description: "destroy basic" }, ports), {
            message:
                "lock: destroy basic: ana@laptop has held the lock for an hour (roll out basic-pd). Next: wait until that run has ended, or end it. [lock-held]",
        });
        await assert.rejects(takeLock({ description: "destroy basic" }, record({ noLease: true })), {
            message:
                "lock: destroy basic: the cluster's Lease is gone. Next: run `pulumi refresh`, then `pulumi up`, which creates the Lease again. [lease-gone]",
        });
    });
});
