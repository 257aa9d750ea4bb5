import * as assert from "node:assert/strict";
import { controllerLog, progressInLog } from "../../../controller/controllerLog";
import { sweepAction } from "../../../controller/sweepAction";
import type { ClusterAccess } from "../../../provider/cluster/access";
import type { Progress } from "../../../provider/cluster/gatePorts";
import { GateError } from "../../../provider/gates/gateError";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ClusterStatus } from "../../../status/clusterStatus";
import type { StatusSources } from "../../../status/statusSources";
import { evicting } from "../../support/lifecycle/observations";
import { clusterWorld, leaseOf } from "../gates/clusterWorld";
import { healthy, statusOf } from "../status/seenCluster";

type Eviction = ClusterStatus["evictions"][number];

/** Acts once. @returns what was done, or the error; `asked` if it began a sweep. */
async function act(seen: Partial<ClusterStatus>, failure = new Error("asked")): Promise<readonly string[] | string> {
    const sources = { deployed: () => Promise.reject(failure) } as unknown as StatusSources;
    const action = sweepAction({} as ClusterAccess, sources, { progressOf: () => ({}) as Progress });
    return action
        .act(
            { namespace: "tidb", cluster: "basic" },
            { ...statusOf(healthy({})), ...seen },
            () => false,
            () => undefined,
        )
        .catch(({ message }: Error) => message);
}

const evicted = (endedAt: string | null, inForce: Eviction["inForce"]): Partial<ClusterStatus> => ({
    evictions: [
        {
            storeId: 4,
            inForce,
            record: { begunAt: "2026-11-23T00:00:00.000Z", leadersBefore: 1, endedAt },
        } as Eviction,
    ],
});
const brought = (value: boolean) => known(value, "PD", 0);
const ended = "2026-11-23T00:01:00.000Z";

describe("a sweep by the controller", () => {
    it("begins for an eviction that no run has ended, and for one that PD has brought back", async () => {
        assert.equal(await act(evicted(null, brought(false))), "asked");
        assert.equal(await act(evicted(ended, brought(true))), "asked");
    });

    it("does not begin for an eviction that has ended, nor for one that is not known to be in force again", async () => {
        assert.deepEqual(await act(evicted(ended, brought(false))), []);
        assert.deepEqual(await act(evicted(ended, notKnown("PD does not answer"))), []);
    });

    it("tells once what it has removed, which cluster, and that it was a sweep", async () => {
        const world = clusterWorld({
            live: { pd: { evicted: [11], locks: { tasks: [] } }, tikv: {} },
            lease: leaseOf({ records: evicting(1) }),
            changes: (action) => {
                if (action.do === "end-eviction") {
                    world.live.pd = { ...world.live.pd, evicted: [] };
                }
            },
        });
        const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
        const deployed = { id, pd: { ...id, tls: false }, tls: false, components: ["pd", "tikv"] };
        const sources = { world, deployed: () => Promise.resolve(deployed) } as unknown as StatusSources;
        const lines: string[] = [];
        const log = controllerLog(
            "text",
            (line) => lines.push(line.slice(line.indexOf(" ") + 1)),
            () => 0,
        );
        const action = sweepAction({} as ClusterAccess, sources, { progressOf: progressInLog(log) });
        const status = { ...statusOf(healthy({})), ...evicted(null, brought(true)) };
        const done = await action.act(
            { namespace: "tidb", cluster: "basic" },
            status,
            () => false,
            () => undefined,
        );
        assert.equal(done.length, 1);
        assert.ok(done[0].includes("store 11 (basic-tikv-1)"), done[0]);
        assert.deepEqual(lines, [`info  tidb/basic: ${done[0]}`]);
    });

    it("has nothing to do if a run turns out to work on the cluster, and fails for any other reason", async () => {
        const problem = {
            code: "cluster-busy",
            step: "sweep",
            target: "tidb/basic",
            seen: "ana@laptop works on the cluster",
            next: "wait",
        } as const;
        assert.deepEqual(await act(evicted(null, brought(true)), new GateError(problem)), []);
        assert.equal(await act(evicted(null, brought(true)), new Error("PD refused")), "PD refused");
    });
});
