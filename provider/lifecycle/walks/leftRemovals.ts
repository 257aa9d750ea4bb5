import { components } from "../../../topology/members";
import { podOrdinal } from "../../../topology/podNames";
import type { Leftover } from "../vocabulary/leftover";
import type { Observation, RemovalRecord } from "../vocabulary/observation";
import { counted } from "../vocabulary/counted";

/**
 * @returns the removals of stores and PD members on record. Only the program says whether a removal that is under way goes
 * on or is taken back, so a sweep deletes only records that no run needs any more.
 */
export function leftRemovals(observation: Observation): Leftover[] {
    return Object.entries(observation.records.removals).map(([of, record]) => leftRemoval(observation, of, record));
}

function leftRemoval(observation: Observation, of: string, { pod, begunAt }: RemovalRecord): Leftover {
    const isPdMember = podOrdinal(pod, observation.cluster, "pd") !== undefined;
    const ours = {
        kind: "removal",
        target: isPdMember ? `PD member ${of} (${pod})` : `store ${of} (${pod})`,
        by: `a run of pulumi-tidb, which began the removal at ${new Date(begunAt).toISOString()}`,
        isOurs: true,
    } as const;
    const state = isPdMember ? memberState(observation, of) : storeState(observation, of);
    switch (state.is) {
        case "not known":
            return { ...ours, seen: "a removal is on record", verdict: "not known", why: state.why };
        case "staying":
            return forget(`${state.seen}, although its removal is on record`, "its removal is not in effect");
        case "leaving":
            return { ...ours, seen: state.seen, verdict: "keep", why: goesOn };
        case "gone":
            return isPodGone(observation, pod)
                ? forget(`${state.seen}, and so is its pod`, "its removal is finished")
                : { ...ours, seen: state.seen, verdict: "keep", why: goesOn };
    }

    function forget(seen: string, why: string): Leftover {
        const action = { do: "forget-removal", of } as const;
        return { ...ours, seen, verdict: "remove", why: `${why}: its record is deleted`, action };
    }
}

const goesOn = "`pulumi up` finishes the removal, or takes it back if the program has the replica again";

type Removed = { is: "staying" | "leaving" | "gone"; seen: string } | { is: "not known"; why: string };

function storeState({ pd: { stores, tombstones } }: Observation, of: string): Removed {
    if (!stores.known || !tombstones.known) {
        return { is: "not known", why: stores.known ? (tombstones as { why: string }).why : stores.why };
    }
    const store = stores.value.find(({ id }) => String(id) === of);
    if (store) {
        const is = store.state === "Up" ? "staying" : "leaving";
        return { is, seen: `the store is ${store.state} with ${counted(store.regionCount, "region")}` };
    }
    return tombstones.value.some(({ id }) => String(id) === of)
        ? { is: "gone", seen: "the store is Tombstone" }
        : { is: "leaving", seen: "PD lists the store neither as live nor as Tombstone" };
}

function memberState({ pd: { members } }: Observation, of: string): Removed {
    if (!members.known) {
        return { is: "not known", why: members.why };
    }
    if (members.value.length === 0) {
        return { is: "not known", why: "PD lists no member" };
    }
    return members.value.some(({ name, memberId }) => name === of || memberId === of)
        ? { is: "staying", seen: "PD still has the member" }
        : { is: "gone", seen: "the member is gone from PD" };
}

/** Whether the StatefulSet no longer has the pod's ordinal, and neither the pod nor a volume that may be used again is there. */
function isPodGone({ members, cluster }: Observation, pod: string): boolean {
    const component = components.find((one) => podOrdinal(pod, cluster, one) !== undefined);
    const member = component && members[component];
    const ordinal = component && podOrdinal(pod, cluster, component);
    if (member?.statefulSet === undefined || ordinal === undefined) {
        return false;
    }
    const { statefulSet, pods, claims } = member;
    return (
        statefulSet.settled &&
        ordinal >= statefulSet.replicas &&
        pods.every((one) => one.ordinal !== ordinal) &&
        claims.every((claim) => claim.ordinal !== ordinal || claim.released)
    );
}
