import { compareVersions, imageTag, versionOfTag } from "../../../topology/imageVersion";
import { topology } from "../../../topology/members";
import { neverRan } from "../stages/stores";
import { someOf } from "../vocabulary/settings";
import { claimsOf, type PodView } from "../vocabulary/stage";

/** What the plan says of a restart: why it is due, and what is dangerous about it. */

/** A new version is a reason by itself. A new configuration may come with a template that changes for another reason. */
export function reasonOfRestart({ pod, target, member }: PodView, replaced: boolean): string {
    const { tag, hasNewConfig, isOnlineNew, strategyBefore } = target;
    const from = pod?.image === undefined ? undefined : imageTag(pod.image);
    if (tag !== undefined && from !== undefined && from !== tag) {
        return `${from} to ${tag}`;
    }
    const renamed = [
        ...(isOnlineNew ? ["; switching operations.rollout.online on restarts pods once"] : []),
        ...(strategyBefore ? [`; switching configUpdateStrategy from ${strategyBefore} restarts pods once`] : []),
    ].join("");
    if (hasNewConfig) {
        return `new template and configuration${renamed}`;
    }
    if (replaced) {
        return `new template${renamed}`;
    }
    const { revision } = pod ?? {};
    const changes = (member.revisions?.known && revision && member.revisions.value.changes[revision]) || [];
    const newest = changes.length === 0 ? "" : `; the newest one differs in ${someOf(changes)}`;
    return `old revision ${revision?.split("-").at(-1) ?? "(none)"}${newest}${renamed}`;
}

/** The volumes of a member that was suspended show which version wrote them. A released volume is emptied before the pod starts. */
export function reasonOfStart(view: PodView): string {
    const { tag } = view.target;
    const kept = claimsOf(view).filter(({ released, terminating }) => !released && !terminating);
    const from = kept.find(({ version }) => version !== undefined && version !== tag)?.version;
    return `does not exist yet${tag === undefined || from === undefined ? "" : `; ${from} to ${tag}`}`;
}

/**
 * The cluster's gate warns of an earlier version only in the update that brings it to the program; the steps of one that failed say it
 * until they are done.
 */
export function earlierVersionRisk(view: PodView): string | undefined {
    const { pod, target } = view;
    const { component, tag } = target;
    const from = pod?.image === undefined ? undefined : imageTag(pod.image);
    if (tag === undefined || from === undefined || from === tag || neverRan(view) || topology[component].ownReleases) {
        return undefined;
    }
    const [to, before] = [versionOfTag(tag), versionOfTag(from)];
    const goesBack = "and TiDB does not support going back";
    if (to === undefined || before === undefined) {
        return `${tag} may be an earlier version than ${from}, ${goesBack}`;
    }
    return compareVersions(to, before) < 0 ? `${tag} is an earlier version than ${from}, ${goesBack}` : undefined;
}

/** Pulumi does not see what somebody else writes into a StatefulSet, so the pods would start what the program does not ask for. */
export function otherImageRisk({ target: { tag }, member }: PodView): string | undefined {
    const image = member.statefulSet?.image;
    const live = image === undefined ? undefined : imageTag(image);
    return tag === undefined || live === undefined || live === tag
        ? undefined
        : `it starts ${live}, which somebody else has written into StatefulSet ${member.statefulSet?.name}, and not ${tag} as in the program`;
}

export function risksOf(...risks: (string | undefined)[]): string | undefined {
    return risks.filter((one) => one !== undefined).join("; ") || undefined;
}
