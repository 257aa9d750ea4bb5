import type { RemakeRecord } from "../remakeRecord";
import type { KindsOf } from "./actionKind";

/** The action that changes what Kubernetes never changes of a StatefulSet, with its pods left running. */
export type RemakeAction = { do: "remake-stateful-set" } & RemakeRecord;

export const remakeActions: KindsOf<RemakeAction> = {
    "remake-stateful-set": {
        describe: ({ becomes }) =>
            `delete StatefulSet ${becomes.name} without its pods, and create it with the new claim templates`,
        inStep: () => "delete it without its pods, create it with the new claim templates",
        step: () => "recreate",
        seconds: () => 10,
        on: ({ uid }) => uid,
        objects: ({ uid, becomes: { name } }) => [{ kind: "StatefulSet", name, uid }],
        before: (records, { component, uid, becomes, manifest }) => ({
            ...records,
            remake: { component, uid, becomes, manifest },
        }),
        after: (records) => ({ ...records, remake: undefined }),
        perform: ({ uid, becomes: { name }, manifest }, { kubernetes }) =>
            kubernetes.remakeStatefulSet(name, uid, manifest),
        foresee: (seen, { component, uid, becomes }) => {
            const member = seen.members[component] ?? { component, pods: [], claims: [] };
            const statefulSet = { ...becomes, uid: `${uid}+` };
            return { ...seen, members: { ...seen.members, [component]: { ...member, statefulSet } } };
        },
    },
};
