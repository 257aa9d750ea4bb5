import type { ActionObject, KindsOf } from "./actionKind";

/** A StatefulSet with the number of replicas that it was observed with. */
export interface StatefulSetReplicas {
    readonly name: string;
    readonly uid: string;
    readonly replicas: number;
}

/** Actions on a member's StatefulSet. */
export type StatefulSetAction =
    /** `endsPd`: the pods are PD's, and keep the PD's lock. */
    | { do: "delete-stateful-set"; name: string; uid: string; endsPd?: true }
    /** Without `pulumi up`. `from`: the StatefulSet as it was observed. */
    | { do: "set-replicas"; from: StatefulSetReplicas; replicas: number }
    | { do: "give-replicas-back"; from: StatefulSetReplicas };

const statefulSet = ({ name, uid }: { name: string; uid: string }): ActionObject[] => [
    { kind: "StatefulSet", name, uid },
];

export const statefulSetActions: KindsOf<StatefulSetAction> = {
    "delete-stateful-set": {
        describe: ({ name }) => `delete StatefulSet ${name} and its pods`,
        on: ({ uid }) => uid,
        objects: statefulSet,
        perform: async ({ name, uid, endsPd }, { kubernetes, lock }) => {
            if (!endsPd) {
                return kubernetes.deleteStatefulSet(name, uid);
            }
            await lock.endMaintenance();
            await kubernetes.deleteStatefulSet(name, uid);
            lock.noteEndOfPd();
        },
    },
    "set-replicas": {
        describe: ({ from: { name, replicas: before }, replicas }) =>
            `scale StatefulSet ${name} from ${before} to ${replicas}`,
        // Pods are added, as by Pulumi, which needs no consent either.
        needsNoConsent: ({ from, replicas }) => replicas > from.replicas,
        isEndOfPlan: true,
        on: ({ from: { uid }, replicas }) => `${uid} ${replicas}`,
        objects: ({ from }) => statefulSet(from),
        perform: ({ from, replicas }, { kubernetes }) => kubernetes.setReplicas(from, replicas),
    },
    "give-replicas-back": {
        describe: ({ from: { name } }) =>
            `give the number of replicas of StatefulSet ${name} back to Pulumi's field manager`,
        on: ({ from: { uid } }) => uid,
        objects: () => [],
        isBookkeeping: true,
        needsNoConsent: () => true,
        perform: ({ from }, { kubernetes }) => kubernetes.giveReplicasBack(from),
    },
};
