import type { Component } from "../../../topology/members";
import type { FailoverRecord, FailureRecord } from "./failureRecord";
import type { OperationRecords } from "./observation";
import { shortDigest } from "./shortDigest";

/** The records of failovers in the cluster's Lease, and how actions change them. */

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
    const record = records.failovers?.[component];
    const left = Object.entries(record?.failures ?? {}).filter(([pod]) => !pods.includes(pod));
    const kept = record && left.length > 0 ? { uid: record.uid, failures: Object.fromEntries(left) } : undefined;
    return withFailover(records, component, kept);
}

function withFailover(
    { failovers, ...others }: OperationRecords,
    component: Component,
    record: FailoverRecord | undefined,
): OperationRecords {
    const left = Object.entries({ ...failovers, [component]: record }).filter(([, one]) => one !== undefined);
    return left.length === 0 ? others : { ...others, failovers: Object.fromEntries(left) };
}
