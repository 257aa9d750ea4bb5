import type { Component } from "../../../../topology/members";
import type { FailoverRecord, FailureRecord, LostVolumes } from "../failureRecord";
import type { OperationRecords } from "../operationRecords";
import { shortDigest } from "../shortDigest";
import { type KindsOf, podObject, record } from "./actionKind";
import { without } from "./without";

/** Records of dead pods, of their replacements, and of volumes that are lost with a node. */
export type FailureAction =
    | { do: "note-failure"; component: Component; pod: string; failure: FailureRecord }
    | { do: "count-replacement"; component: Component; pod: string }
    | { do: "forget-failures"; component: Component; pods: readonly string[] }
    /** `lost`: what is given up of the pod with a node that is gone. */
    | { do: "note-lost-volumes"; pod: string; lost: LostVolumes }
    | { do: "forget-lost-volumes"; pod: string };

export const failureActions: KindsOf<FailureAction> = {
    "note-failure": {
        describe: ({ pod, failure }) => `record that ${pod} is dead and that ${failure.replacedBy} replaces it`,
        // Where the replacement starts only once the dead one is out of the cluster, that it is noted is no step yet.
        inStep: ({ failure }) => (failure.counts ? `add ${failure.replacedBy}` : undefined),
        step: () => "replace",
        on: ({ pod, failure }) => `${pod} ${failure.podUid}`,
        objects: ({ pod: name, failure }) => [{ ...podObject(name), uid: failure.podUid }],
        before: (records, { component, pod, failure }) => withFailure(records, component, pod, failure),
    },
    "count-replacement": record({
        describe: ({ pod }) => `record that the replacement of ${pod} may start`,
        on: ({ pod }) => pod,
        after: (records, { component, pod }) => withReplacement(records, component, pod),
    }),
    "forget-failures": record({
        describe: ({ pods }) => `delete the record of the failure of ${pods.join(", ")}`,
        on: ({ pods }) => pods.join(" "),
        objects: () => [],
        after: (records, { component, pods }) => withoutFailures(records, component, pods),
    }),
    "note-lost-volumes": {
        describe: ({ pod, lost: { node } }) =>
            `record that the volumes of ${pod} on node ${node}, which is gone, are given up`,
        inStep: () => undefined,
        step: () => "give-up",
        on: ({ pod, lost: { podUid } }) => `${pod} ${podUid}`,
        before: (records, { pod, lost }) => ({ ...records, lostVolumes: { ...records.lostVolumes, [pod]: lost } }),
    },
    "forget-lost-volumes": record({
        describe: ({ pod }) => `delete the record that volumes of ${pod} are given up`,
        on: ({ pod }) => pod,
        after: ({ lostVolumes, ...others }, { pod }) => {
            const left = without({ ...lostVolumes }, pod);
            return Object.keys(left).length === 0 ? others : { ...others, lostVolumes: left };
        },
    }),
};

/** @returns the records with a failure. The first one gives the member's failover its UID. */
export function withFailure(
    records: OperationRecords,
    component: Component,
    pod: string,
    failure: FailureRecord,
): OperationRecords {
    const { uid, failures = {} } = records.failovers?.[component] ?? {};
    return withFailover(records, component, {
        uid: uid ?? shortDigest(JSON.stringify([component, pod, failure])),
        failures: { ...failures, [pod]: failure },
    });
}

/** @returns the records with the replacement of a failure counted. */
export function withReplacement(records: OperationRecords, component: Component, pod: string): OperationRecords {
    const failure = records.failovers?.[component]?.failures[pod];
    return failure ? withFailure(records, component, pod, { ...failure, counts: true }) : records;
}

/** @returns the records without these failures; without the member's failover once none is left. */
export function withoutFailures(
    records: OperationRecords,
    component: Component,
    pods: readonly string[],
): OperationRecords {
    const failover = records.failovers?.[component];
    const left = Object.entries(failover?.failures ?? {}).filter(([pod]) => !pods.includes(pod));
    const kept = failover && left.length > 0 ? { uid: failover.uid, failures: Object.fromEntries(left) } : undefined;
    return withFailover(records, component, kept);
}

function withFailover(
    { failovers, ...others }: OperationRecords,
    component: Component,
    failover: FailoverRecord | undefined,
): OperationRecords {
    const left = Object.entries({ ...failovers, [component]: failover }).filter(([, one]) => one !== undefined);
    return left.length === 0 ? others : { ...others, failovers: Object.fromEntries(left) };
}
