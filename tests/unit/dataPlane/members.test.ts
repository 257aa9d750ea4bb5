import * as assert from "node:assert/strict";
import { manualClock, settledCluster, type SettledCluster } from "../../../sandbox/dataPlane";
import { deleteMember, submitTransfer } from "../../../sandbox/dataPlane/model/members";

const healthOf = (cluster: SettledCluster): boolean[] => cluster.members().map((member) => member.healthy);

describe("simulated PD members", () => {
    it("transfer the leadership a moment after the request", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock });
        assert.equal(submitTransfer(state, "basic-pd-2"), true);
        assert.equal(cluster.leader(), "basic-pd-0");
        clock.advance(200);
        assert.equal(cluster.leader(), "basic-pd-2");
        assert.deepEqual(
            cluster.events.map(({ kind, member }) => `${kind} ${member}`),
            ["leader-transfer-submitted basic-pd-2", "leader-transferred basic-pd-2"],
        );
    });

    it("elect another leader when theirs stops, and record that it led and that a quorum is left", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.stopPod("basic-pd-0");
        assert.deepEqual([cluster.events[0].ledPd, cluster.events[0].quorumLeft], [true, true]);
        assert.equal(cluster.leader(), undefined);
        clock.advance(600);
        assert.equal(cluster.leader(), "basic-pd-1");
        assert.deepEqual(healthOf(cluster), [false, true, true]);
    });

    it("have no leader without a majority, and have one again when a member comes back with its data", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.stopPod("basic-pd-1");
        cluster.stopPod("basic-pd-2");
        assert.equal(cluster.events.at(-1)?.quorumLeft, false);
        clock.advance(10_000);
        assert.equal(cluster.leader(), undefined);
        const ids = cluster.members().map((member) => member.id);
        cluster.startPod("basic-pd-1");
        clock.advance(2000);
        assert.equal(cluster.leader(), "basic-pd-0");
        assert.deepEqual(
            cluster.members().map((member) => member.id),
            ids,
        );
    });

    it("stay out after their deletion until they come with an empty volume", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock });
        deleteMember(state, state.members[2]);
        cluster.stopPod("basic-pd-2");
        cluster.startPod("basic-pd-2");
        clock.advance(5000);
        assert.equal(cluster.members().length, 2);
        cluster.startPod("basic-pd-2", { newClaim: true });
        clock.advance(500);
        assert.deepEqual(
            cluster.members().map((member) => member.name),
            ["basic-pd-0", "basic-pd-1", "basic-pd-2"],
        );
    });

    it("do not join with an empty volume under the name of a listed member", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.stopPod("basic-pd-2");
        cluster.startPod("basic-pd-2", { newClaim: true });
        clock.advance(5000);
        assert.deepEqual(healthOf(cluster), [true, true, false]);
    });

    it("never carry out a transfer, or do nothing at all, if a fault says so", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock, faults: { leaderTransferNeverHappens: true } });
        submitTransfer(state, "basic-pd-1");
        clock.advance(5000);
        assert.equal(cluster.leader(), "basic-pd-0");
        cluster.faults.members["basic-pd-0"] = { unhealthy: true };
        clock.advance(5000);
        assert.equal(cluster.leader(), "basic-pd-1");
        cluster.faults.noLeader = true;
        assert.equal(cluster.leader(), undefined);
    });
});
