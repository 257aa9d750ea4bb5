import type { Component } from "../../../../topology/members";
import type { OperationRecords } from "../observation";
import type { RemakeRecord } from "../operationRecords";
import type { KindsOf } from "./actionKind";
import { without } from "./without";

/** The actions that change what Kubernetes never changes of a StatefulSet, with its pods left running. */
export type RemakeAction =
    | ({ do: "remake-stateful-set" } & RemakeRecord)
    /** The StatefulSet was not deleted yet, and stays. */
    | { do: "forget-remake"; component: Component; name: string; uid: string };

function withRemake(records: OperationRecords, component: Component, record: RemakeRecord | undefined) {
    const { remakes, ...others } = records;
    const rest = without(remakes ?? {}, component);
    const left = record === undefined ? rest : { ...rest, [component]: record };
    return { ...others, ...(Object.keys(left).length === 0 ? {} : { remakes: left }) };
}

export const remakeActions: KindsOf<RemakeAction> = {
    "remake-stateful-set": {
        describe: ({ becomes }) =>
            `delete StatefulSet ${becomes.name} without its pods, and create it with the new claim templates`,
        inStep: () => "delete it without its pods, create it with the new claim templates",
        step: () => "recreate",
        seconds: () => 10,
        on: ({ uid }) => uid,
        objects: ({ uid, becomes: { name } }) => [{ kind: "StatefulSet", name, uid }],
        before: (records, { component, uid, becomes, manifest }) =>
            withRemake(records, component, { component, uid, becomes, manifest }),
        after: (records, { component }) => withRemake(records, component, undefined),
        perform: ({ uid, becomes: { name }, manifest }, { kubernetes }) =>
            kubernetes.remakeStatefulSet(name, uid, manifest),
        foresee: (seen, { component, uid, becomes }) => {
            const member = seen.members[component] ?? { component, pods: [], claims: [] };
            const statefulSet = { ...becomes, uid: `${uid}+` };
            return { ...seen, members: { ...seen.members, [component]: { ...member, statefulSet } } };
        },
    },
    "forget-remake": {
        describe: ({ name }) => `forget that StatefulSet ${name} was to be created again: it was not deleted`,
        step: () => "clean-up",
        needsNoConsent: () => true,
        on: ({ uid }) => uid,
        objects: ({ name, uid }) => [{ kind: "StatefulSet", name, uid }],
        after: (records, { component }) => withRemake(records, component, undefined),
        perform: ({ name, uid }, { kubernetes }) => kubernetes.keepStatefulSet(name, uid),
    },
};
