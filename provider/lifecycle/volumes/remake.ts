import type { Component } from "../../../topology/members";
import type { Action } from "../vocabulary/actions";
import type { Leftover } from "../vocabulary/leftover";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { StatefulSetManifest } from "../vocabulary/fixedFields";
import type { RemakeRecord } from "../vocabulary/operationRecords";
import type { MemberTarget } from "../vocabulary/target";
import { waitOrFail } from "../vocabulary/waitOrFail";

/** The StatefulSet that is deleted without its pods and created again. A run that is killed in between has it on record. */

type RemakeTarget = Pick<MemberTarget, "component" | "policy">;

/** @returns the move that finishes what a killed run has begun, which comes before everything else; undefined if there is nothing. */
export function unfinishedRemake(observation: Observation, target: RemakeTarget, memory: Memory): Move | undefined {
    const left = remakeLeft(observation, target.component);
    const live = observation.members[target.component]?.statefulSet;
    if (left === undefined || live?.uid !== left.uid) {
        return left && recreated(left, observation, target, memory);
    }
    if (!live.terminating) {
        return { kind: "act", action: forget(left), step: "statefulset-recreated", target: live.name, withoutPd: true };
    }
    // It is still held, and an update may have changed it since.
    const { manifest } = live;
    return manifest === undefined
        ? { kind: "look", at: { manifests: true } }
        : recreated(withTemplatesOf(left, manifest), observation, target, memory);
}

/** It was not deleted, perhaps because the API server refuses that. Whether it still is to be is decided again. */
function forget({ component, uid, becomes: { name } }: RemakeRecord): Action {
    return { do: "forget-remake", component, name, uid };
}

function withTemplatesOf(record: RemakeRecord, live: StatefulSetManifest): RemakeRecord {
    const { volumeClaimTemplates } = record.manifest.spec;
    return { ...record, manifest: { ...live, spec: { ...live.spec, volumeClaimTemplates } } };
}

/** @returns the member's StatefulSet that a killed run has begun to create again. */
export function remakeLeft({ records }: Pick<Observation, "records">, component: Component): RemakeRecord | undefined {
    return records.remakes?.[component];
}

/** @returns the observation with the StatefulSet that a killed run has deleted without its pods, as it comes back. */
export function withRemade(observation: Observation, component: Component): Observation {
    const left = remakeLeft(observation, component);
    const member = observation.members[component];
    if (left === undefined || member === undefined || member.statefulSet !== undefined) {
        return observation;
    }
    const statefulSet = { ...left.becomes, uid: `${left.uid}+` };
    return { ...observation, members: { ...observation.members, [component]: { ...member, statefulSet } } };
}

/** @returns the move that creates the StatefulSet again, its pods left running. PD is not asked. */
export function recreated(record: RemakeRecord, observation: Observation, target: RemakeTarget, memory: Memory): Move {
    const action: Action = { do: "remake-stateful-set", ...record };
    const { name } = record.becomes;
    const wait = { step: "statefulset-recreated", target: name } as const;
    return mayAct(memory, action, observation.now)
        ? { kind: "act", action, ...wait, withoutPd: true }
        : waitOrFail(observation, target, memory, {
              ...wait,
              lacks: `StatefulSet ${name} has not been created again`,
              advice: "check the events of the namespace, then run `pulumi up` again: it continues from here",
          });
}

/** @returns the same as leftovers. Their pods run meanwhile, and nothing restarts one that ends. */
export function leftRemakes({ records, members }: Observation): Leftover[] {
    return Object.values(records.remakes ?? {}).map((record): Leftover => {
        const live = members[record.component]?.statefulSet;
        const stays = live?.uid === record.uid && !live.terminating;
        return {
            kind: "statefulset",
            target: `StatefulSet ${record.becomes.name}`,
            seen: "on record as deleted without its pods, to be created again",
            by: "a run of pulumi-tidb, which began it",
            isOurs: true,
            verdict: "remove",
            why: stays ? "it was not deleted: the record is" : "it is created as recorded, and takes its pods over",
            action: stays ? forget(record) : { do: "remake-stateful-set", ...record },
        };
    });
}
