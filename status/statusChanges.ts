import type { ClusterStatus } from "./clusterStatus";
import { conditionWords, podWords, readyWords, runningWords } from "./statusWords";

/**
 * Returns what differs between two looks at a cluster, one line each: for logs, where nothing can be redrawn. Numbers that
 * change all the time, such as leaders and free space, do not count.
 */
export function statusChanges(before: ClusterStatus, after: ClusterStatus): string[] {
    const [earlier, later] = [factsOf(before), factsOf(after)];
    return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((what) => {
        const [was, is] = [earlier.get(what), later.get(what)];
        if (was === is) {
            return [];
        }
        return [was === undefined ? `${what}: ${is}` : `${what}: ${is ?? "gone"} (was: ${was})`];
    });
}

/** What is compared, in the order in which it is told. */
function factsOf({
    conditions,
    operation,
    evictions,
    members,
    pd,
    stores,
    notKnown,
}: ClusterStatus): Map<string, string> {
    const facts: [string, string | undefined][] = [
        ["condition", conditions.map(conditionWords).join("; ")],
        ["operation", operation === null ? "none" : `${operation.step}, by ${operation.holder}`],
        ["asked to stop", operation?.stopRequestedBy ?? undefined],
        ["the run may be dead: its lock is overdue", operation?.isOverdue ? "yes" : undefined],
        ...notKnown.map((line): [string, string] => [`not known: ${line}`, "yes"]),
        ...members.map((member): [string, string] => [
            member.title,
            `${readyWords(member)} Ready, ${member.version ?? "no version"} wanted, ${runningWords(member)} running`,
        ]),
        ...members.flatMap(({ pods }) => pods.map((pod): [string, string] => [pod.name, podWords(pod) ?? "as wanted"])),
        ["PD's leader", leaderOf(pd)],
        ...(pd.known ? pd.value : []).map(({ name, healthy }): [string, string] => [
            `PD member ${name || "without a name"}`,
            healthy ? "healthy" : "unhealthy",
        ]),
        ...(stores.known ? stores.value : []).map(({ id, pod, state }): [string, string] => [
            `store ${id} (${pod})`,
            state,
        ]),
        ...evictions.map(({ storeId, inForce, record }): [string, string] => [
            `eviction of store ${storeId}`,
            `${inForce.known ? (inForce.value ? "in force" : "not in force") : "not known"}${record?.endedAt ? ", ended" : ""}`,
        ]),
    ];
    return new Map(facts.flatMap(([what, value]) => (value === undefined ? [] : [[what, value]])));
}

function leaderOf(pd: ClusterStatus["pd"]): string | undefined {
    if (!pd.known || pd.value.some(({ isLeader }) => !isLeader.known)) {
        return undefined;
    }
    return pd.value.find(({ isLeader }) => isLeader.known && isLeader.value)?.name ?? "none";
}
