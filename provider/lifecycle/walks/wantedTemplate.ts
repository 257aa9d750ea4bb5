import { isStale } from "../stages/sharedStages";
import type { Observation } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/** Which pods restart because of the template that the program asks for. */

/** Whether the live StatefulSet has the wanted template, has a different one, or cannot be compared. */
export type TemplateState = "wanted" | "other" | "unknown";

export function templateState(observation: Observation, target: MemberTarget): TemplateState {
    const live = observation.members[target.component]?.statefulSet?.templateRevision;
    if (live === undefined || target.templateRevision === undefined) {
        return "unknown";
    }
    return live === target.templateRevision ? "wanted" : "other";
}

/** @returns whether the StatefulSet is still to get the wanted template, or its controller has not said yet which revision that is. */
export function isReplaced(observation: Observation, target: MemberTarget): boolean {
    const member = observation.members[target.component];
    const state = templateState(observation, target);
    const isSeen = (revision: string | undefined) => revision === member?.statefulSet?.updateRevision;
    return (
        state === "other" ||
        // A template that no pod has run yet has no revision until the controller sees it.
        (state === "wanted" &&
            member?.statefulSet?.settled === false &&
            member.revisions?.known === true &&
            !isSeen(wantedRevision({ member, target })))
    );
}

/** @returns whether a pod restarts on a new template. */
export function restartsIn(observation: Observation, target: MemberTarget): (view: PodView) => boolean {
    const replaced = isReplaced(observation, target);
    return (view) => view.pod !== undefined && (replaced ? !runsWanted(view) : isStale(view));
}

type Seen = Pick<PodView, "pod" | "member" | "target">;

/** @returns the revision of the template that the program asks for; undefined if it is not known or has none yet. */
function wantedRevision({ member: { revisions }, target: { templateRevision = "" } }: Omit<Seen, "pod">) {
    return revisions?.known ? revisions.value.byTemplate[templateRevision] : undefined;
}

/** Whether the pod is one that an update to another template, which is taken back now, had not reached yet. */
function runsWanted(seen: Seen): boolean {
    // What somebody else has written into the template stays in it.
    return ranWanted(seen) && !seen.member.statefulSet?.templateWriters;
}

/** Whether the pod runs what the program asks for, as far as nobody else has written into the template. */
function ranWanted(seen: Seen): boolean {
    return seen.pod?.revision !== undefined && wantedRevision(seen) === seen.pod.revision;
}

/** @returns what to know of the plan of an update that takes another one back, if it leaves out pods, or cannot know whether it may. */
export function leftOutRemarks(observation: Observation, target: MemberTarget): string[] {
    const member = observation.members[target.component];
    if (member === undefined || templateState(observation, target) !== "other") {
        return [];
    }
    const some = (isSo: (seen: Seen) => boolean) => member.pods.some((pod) => isSo({ pod, member, target }));
    const name = member.statefulSet?.name;
    if (some(runsWanted)) {
        return [
            `pods of ${name} that already run the wanted template are left out; if something else changes the template, they restart too`,
        ];
    }
    return some(ranWanted)
        ? [
              `pods of ${name} that already run the wanted template may restart or not: others than Pulumi own fields of the template, so the plan has a restart of each`,
          ]
        : [];
}
