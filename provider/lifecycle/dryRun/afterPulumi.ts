import { foresee } from "../vocabulary/actions";
import { withReplicas } from "../vocabulary/actions/statefulSets";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { afterScaleIn, leavingViews } from "../walks/foreseenPods";
import { restartsIn, templateState } from "../walks/wantedTemplate";

/** The revision of a template that Pulumi has not written yet. */
const nextRevision = "the next revision";

/**
 * @returns the cluster as a member's rollout finds it: what leaves has left, Pulumi has written the template and the number of replicas that the
 * program asks for, and new pods run.
 */
export function afterPulumi(observation: Observation, target: MemberTarget): Observation {
    const scaled = withoutStores(afterScaleIn(observation, target), leavingViews(observation, target));
    const member = scaled.members[target.component];
    const statefulSet = member?.statefulSet;
    if (member === undefined || statefulSet === undefined) {
        return observation;
    }
    const isOther = templateState(observation, target) === "other";
    const restarts = restartsIn(observation, target);
    const pods = member.pods.map((pod) =>
        isOther && !restarts(viewOf(observation, target, pod.ordinal)) ? { ...pod, revision: nextRevision } : pod,
    );
    const written = isOther
        ? { ...statefulSet, updateRevision: nextRevision, image: withTag(statefulSet.image, target.tag) }
        : statefulSet;
    const seen = {
        ...scaled,
        members: {
            ...scaled.members,
            [target.component]: { ...member, pods, statefulSet: { ...written, settled: true } },
        },
    };
    return statefulSet.replicas === target.replicas ? seen : withReplicas(seen, statefulSet, target.replicas);
}

function withoutStores(seen: Observation, leaving: readonly PodView[]): Observation {
    return leaving.reduce((before, { store, podName: pod }) => {
        if (store === undefined) {
            return before;
        }
        const { id: storeId, regionCount: regions } = store;
        const removed = foresee(before, { do: "remove-store", storeId, pod, regions });
        return foresee(removed, { do: "forget-removal", of: String(storeId) });
    }, seen);
}

function withTag(image: string | undefined, tag: string | undefined): string | undefined {
    return image === undefined || tag === undefined ? image : image.replace(/(:[^:/@]+)?(@.*)?$/, `:${tag}`);
}
