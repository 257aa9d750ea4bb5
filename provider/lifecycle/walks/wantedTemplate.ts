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

/** @returns whether a pod restarts on a new template. */
export function restartsIn(observation: Observation, target: MemberTarget): (view: PodView) => boolean {
    const replaced = templateState(observation, target) === "other";
    return (view) => view.pod !== undefined && (replaced ? !runsWanted(view) : isStale(view));
}

/** Whether the pod is one that an update to another template, which is taken back now, had not reached yet. */
function runsWanted({
    pod,
    member,
    target: { templateRevision = "" },
}: Pick<PodView, "pod" | "member" | "target">): boolean {
    const { revisions, statefulSet } = member;
    const wanted = revisions?.known ? revisions.value.byTemplate[templateRevision] : undefined;
    // What somebody else has written into the template stays in it.
    return pod?.revision !== undefined && wanted === pod.revision && !statefulSet?.templateWriters;
}

/** @returns what to know of the plan of an update that takes another one back, if it leaves out pods. */
export function leftOutRemarks(observation: Observation, target: MemberTarget): string[] {
    const member = observation.members[target.component];
    return templateState(observation, target) === "other" &&
        member?.pods.some((pod) => runsWanted({ pod, member, target }))
        ? [
              `pods of ${member.statefulSet?.name} that already run the wanted template are left out; if something else changes the template, they restart too`,
          ]
        : [];
}
