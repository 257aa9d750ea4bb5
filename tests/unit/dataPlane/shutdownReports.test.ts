import * as assert from "node:assert/strict";
import { manualClock } from "../../../sandbox/dataPlane";
import type { PodEnds } from "../../../sandbox/dataPlane/kubernetes/podEnds";
import type { PodObservation } from "../../../sandbox/dataPlane/model/cluster";
import { observePods } from "../../../sandbox/dataPlane/model/pods";
import { settledCluster } from "../../../sandbox/dataPlane/settledCluster";
import { shutdownReports } from "../../../sandbox/dataPlane/shutdownReports";

/** A settled cluster with its pods, as Kubernetes has them, and what was done to those. */
function stoppable(version: string) {
    const clock = manualClock();
    const { state } = settledCluster({ clock, version, stores: 3 });
    const pods = new Map<string, PodObservation>(
        [...state.pods.values()].map(({ name, uid, component, claim, version: tag }) => [
            name,
            { name, uid, component, claim, version: tag, running: true, ready: true },
        ]),
    );
    const done: string[] = [];
    const ends: PodEnds = {
        hold: ({ pod }) => Promise.resolve(void done.push(`hold ${pod}`)),
        end: ({ pod }, exitCode) => Promise.resolve(void done.push(`end ${pod} ${exitCode}`)),
    };
    const tick = shutdownReports({ state, pods, ends, log: assert.fail });
    return {
        done,
        change: (pod: string, change: Partial<PodObservation>) => pods.set(pod, { ...pods.get(pod)!, ...change }),
        after: (milliseconds: number) => {
            clock.advance(milliseconds);
            observePods(state, [...pods.values()], clock());
            tick();
        },
        now: clock,
    };
}

describe("the pods of processes that take time to end", () => {
    it("are held, and end with their processes: TiKV's since 8.5.6, and no others", () => {
        const cluster = stoppable("v8.5.6");
        cluster.after(0);
        assert.deepEqual(cluster.done, ["hold basic-tikv-0", "hold basic-tikv-1", "hold basic-tikv-2"]);
        const earlier = stoppable("v8.5.5");
        earlier.after(0);
        assert.deepEqual(earlier.done, []);
    });

    for (const [how, grace, exitCode] of [
        ["by themselves", 30_000, 0],
        ["by SIGKILL, as their containers say", 1_000, 137],
    ] as const) {
        it(`are deleted once those have ended ${how}`, () => {
            const cluster = stoppable("v8.5.6");
            for (const pod of ["basic-tikv-0", "basic-tikv-1"]) {
                cluster.change(pod, { isHeld: true, ready: false, killedAt: cluster.now() + grace });
            }
            cluster.after(900);
            assert.deepEqual(cluster.done, ["hold basic-tikv-2"]);
            cluster.after(5_000);
            assert.deepEqual(cluster.done.slice(1), [`end basic-tikv-0 ${exitCode}`, `end basic-tikv-1 ${exitCode}`]);
        });
    }
});
