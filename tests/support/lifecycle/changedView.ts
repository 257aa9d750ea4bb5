import type { PodView } from "../../../provider/lifecycle/vocabulary/stage";

/** @returns the view with other parts. */
export function changedView(view: PodView, parts: Partial<PodView>): PodView {
    return Object.create(view, Object.getOwnPropertyDescriptors(parts)) as PodView;
}
