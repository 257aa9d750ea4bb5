import { leaseName } from "../../../topology/names";
import type { Leftover } from "../vocabulary/leftover";
import { lockDurationSeconds, type ObservedLock } from "../vocabulary/lock";
import type { Observation } from "../vocabulary/observation";

/**
 * @param dead the Lease's lock, if it has a holder that was watched and found dead; undefined if nobody holds it.
 * @returns the locks that are left, in the order in which they are released.
 */
export function leftLocks({ cluster, pd: { locks } }: Observation, dead: ObservedLock | undefined): Leftover[] {
    const { tasks, key } = locks.known ? locks.value : { tasks: [], key: undefined };
    const found: Leftover[] = tasks.map(({ name, description, own }) => ({
        kind: "maintenance-task",
        target: `PD's maintenance task ${name}`,
        seen: `it runs: ${description}`,
        by: own ? "a run of pulumi-tidb on this cluster" : "another tool or cluster",
        isOurs: own,
        ...(own
            ? { verdict: "remove", why: "it never expires; it is taken over and ended" }
            : { verdict: "keep", why: "it is not ours: end it with the tool that began it" }),
    }));
    if (key !== undefined) {
        const { name, holder, operation, own, expires } = key;
        const isOurs = own && expires && dead?.holder === holder;
        const why = expires
            ? "a run on this PD holds it, or died a moment ago: it expires by itself"
            : `it has no etcd lease, so no run of pulumi-tidb wrote it. If nobody needs it: etcdctl del ${name}`;
        found.push({
            kind: "pd-lock",
            target: `key ${name} in PD's etcd`,
            seen: `it is held: ${operation}`,
            by: holder,
            isOurs,
            ...(isOurs ? { verdict: "remove", why: "its run is dead: it expires" } : { verdict: "keep", why }),
        });
    }
    if (dead?.holder !== undefined) {
        found.push({
            kind: "lock",
            target: `Lease ${leaseName(cluster)}`,
            seen: `it is held (${dead.operation ?? "an operation"}), and was not renewed for ${dead.durationSeconds ?? lockDurationSeconds} s`,
            by: dead.holder,
            isOurs: true,
            verdict: "remove",
            why: "its run is dead: the lock is taken over and released",
        });
    }
    return found;
}
