import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../topology/members";

/** @returns a pod of the cluster `basic` that is Ready. */
export function observedPod(component: Component, ordinal: number, more: Partial<ObservedPod> = {}): ObservedPod {
    return {
        name: `basic-${component}-${ordinal}`,
        ordinal,
        uid: `${component}-${ordinal}`,
        resourceVersion: "1",
        revision: "new",
        ready: true,
        container: notAsked,
        createdAt: 0,
        terminating: false,
        ...more,
    };
}
