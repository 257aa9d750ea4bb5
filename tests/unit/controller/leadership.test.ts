import * as assert from "node:assert/strict";
import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { Leadership, type LeadershipCalls } from "../../../controller/leadership";

/** A Lease as the API server keeps it. */
class PlayedLease {
    lease: V1Lease | undefined;
    private version = 1;

    readonly calls: LeadershipCalls = {
        readLease: () => Promise.resolve(structuredClone(this.lease)),
        createLease: () => {
            this.lease ??= { metadata: { resourceVersion: String(this.version) }, spec: {} };
            return Promise.resolve();
        },
        writeLease: (version, spec) => {
            if (this.lease?.metadata?.resourceVersion !== version) {
                return Promise.resolve(false);
            }
            this.version += 1;
            const merged = Object.entries({ ...this.lease.spec, ...spec }).filter(([, value]) => value !== null);
            this.lease = {
                metadata: { resourceVersion: String(this.version) },
                spec: Object.fromEntries(merged),
            };
            return Promise.resolve(true);
        },
    };
}

describe("which of several controllers leads", () => {
    let now: number;
    let played: PlayedLease;
    const controller = (holder: string, calls = played.calls) => new Leadership(calls, holder, () => now);

    beforeEach(() => {
        now = 1_000_000;
        played = new PlayedLease();
    });

    it("is the first one, which creates the Lease", async () => {
        const one = controller("one");
        await one.renew();
        assert.equal(one.isLeader, false);
        await one.renew();
        assert.equal(one.isLeader, true);
        assert.equal(played.lease?.spec?.holderIdentity, "one");
    });

    it("is never both of two", async () => {
        const [one, other] = [controller("one"), controller("other")];
        for (let round = 0; round < 20; round += 1) {
            await one.renew();
            await other.renew();
            assert.equal(one.isLeader && other.isLeader, false);
            now += 3_000;
        }
        assert.equal(one.isLeader || other.isLeader, true);
    });

    it("leads for 15 s after its last renewal, also if a renewal is late, and another one takes over only afterwards", async () => {
        const [one, other] = [controller("one"), controller("other")];
        await one.renew();
        await one.renew();
        await other.renew();
        now += 14_999;
        await other.renew();
        assert.deepEqual([one.isLeader, other.isLeader], [true, false]);
        now += 1;
        assert.equal(one.isLeader, false);
        await other.renew();
        assert.equal(other.isLeader, true);
    });

    it("does not lead when somebody else has written to the Lease meanwhile", async () => {
        const one = controller("one", { ...played.calls, writeLease: () => Promise.resolve(false) });
        await one.renew();
        await one.renew();
        assert.equal(one.isLeader, false);
    });

    it("stops to lead at once when it sees another holder", async () => {
        const one = controller("one");
        await one.renew();
        await one.renew();
        played.lease = {
            metadata: { resourceVersion: "1" },
            spec: { holderIdentity: "other", renewTime: new Date(now) as never, leaseDurationSeconds: 15 },
        };
        await one.renew();
        assert.equal(one.isLeader, false);
    });

    it("gives the Lease up when it ends, and another one takes over at once", async () => {
        const [one, other] = [controller("one"), controller("other")];
        await one.renew();
        await one.renew();
        await one.release();
        assert.equal(one.isLeader, false);
        await other.renew();
        assert.equal(other.isLeader, true);
    });

    it("leaves the Lease of another one alone when it ends", async () => {
        const [one, other] = [controller("one"), controller("other")];
        await one.renew();
        await one.renew();
        await other.renew();
        await other.release();
        assert.equal(played.lease?.spec?.holderIdentity, "one");
    });
});
