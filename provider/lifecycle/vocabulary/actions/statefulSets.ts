import { podName } from "../../../../topology/podNames";
import type { Observation, ObservedMember } from "../observation";
import { scaledTo, withMember, withPodStarted } from "./foreseen";
import type { StatefulSetReplicas } from "./actionClients";
import type { ActionObject, KindsOf } from "./actionKind";

/** Actions on a member's StatefulSet. */
export type StatefulSetAction =
    /** `endsPd`: the pods are PD's, and keep the PD's lock. */
    | { do: "delete-stateful-set"; name: string; uid: string; endsPd?: true }
    /** Without `pulumi up`. `from`: the StatefulSet as it was observed. */
    | { do: "set-replicas"; from: StatefulSetReplicas; replicas: number }
    /** More pods for as long as volumes are replaced. */
    | { do: "add-spares"; from: StatefulSetReplicas; replicas: number }
    | { do: "give-replicas-back"; from: StatefulSetReplicas };

const statefulSet = ({ name, uid }: { name: string; uid: string }): ActionObject[] => [
    { kind: "StatefulSet", name, uid },
];

const isOf =
    ({ uid }: { uid: string }) =>
    ({ statefulSet: of }: ObservedMember) =>
        of?.uid === uid;

/** @returns the observation once the StatefulSet has this number of pods: new ones serve, and PD knows them. */
function withReplicas(seen: Observation, of: { name: string; uid: string }, replicas: number): Observation {
    const scaled = withMember(seen, isOf(of), ({ statefulSet: before, ...member }) => ({
        ...member,
        statefulSet: before && { ...before, replicas, gatesOwnReplicas: true },
        pods: scaledTo(replicas, member.pods),
    }));
    const ordinals = Array.from({ length: replicas }, (_, ordinal) => ordinal);
    return ordinals.reduce((all, ordinal) => {
        const member = Object.values(all.members).find(isOf(of));
        const isMissing = member?.pods.every((pod) => pod.ordinal !== ordinal) ?? false;
        return member && isMissing
            ? withPodStarted(all, member, ordinal, podName(all.cluster, member.component, ordinal))
            : all;
    }, scaled);
}

export const statefulSetActions: KindsOf<StatefulSetAction> = {
    "delete-stateful-set": {
        describe: ({ name }) => `delete StatefulSet ${name} and its pods`,
        inStep: () => "delete its StatefulSet; volumes, Services and ConfigMap stay",
        step: () => "suspend",
        seconds: () => 30,
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
        foresee: (seen, { uid }) =>
            withMember(seen, isOf({ uid }), ({ component, claims }) => ({ component, claims, pods: [] })),
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
        seconds: () => 30,
        foresee: (seen, { from, replicas }) => withReplicas(seen, from, replicas),
    },
    "add-spares": {
        describe: ({ from: { name, replicas: before }, replicas }) =>
            `scale StatefulSet ${name} from ${before} to ${replicas} while volumes are replaced`,
        inStep: ({ from: { name, replicas: before }, replicas }) =>
            `scale StatefulSet ${name} from ${before} to ${replicas}`,
        step: () => "spare",
        on: ({ from: { uid }, replicas }) => `${uid} ${replicas}`,
        objects: ({ from }) => statefulSet(from),
        perform: ({ from, replicas }, { kubernetes }) => kubernetes.setReplicas(from, replicas),
        seconds: () => 30,
        foresee: (seen, { from, replicas }) => withReplicas(seen, from, replicas),
    },
    "give-replicas-back": {
        describe: ({ from: { name } }) =>
            `give the number of replicas of StatefulSet ${name} back to Pulumi's field manager`,
        on: ({ from: { uid } }) => uid,
        objects: () => [],
        isBookkeeping: true,
        needsNoConsent: () => true,
        perform: ({ from }, { kubernetes }) => kubernetes.giveReplicasBack(from),
        foresee: (seen, { from }) =>
            withMember(seen, isOf(from), (member) => ({
                ...member,
                statefulSet: member.statefulSet && {
                    ...member.statefulSet,
                    gatesOwnReplicas: undefined,
                    scaledBy: undefined,
                },
            })),
    },
};
