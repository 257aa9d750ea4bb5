import { memberLifecycles } from "../../provider/lifecycle/members/memberLifecycles";
import { batchDecided } from "../../provider/lifecycle/stages/batches/batchDecided";
import type { Component } from "../../topology/members";
import { memberName } from "../../topology/names";
import type { TidbClusterManifest } from "../spec";
import { memberLabels } from "./labels";
import { objectMetadata } from "./metadata";
import type { KubernetesObject } from "./object";

/**
 * Renders a member's PodDisruptionBudget, which lets a drain take no more than a gate would. Where a gate asks something before a
 * restart, such as whether a store still leads regions, the budget is 0: Kubernetes cannot ask it. It knows only whether pods are
 * Ready, and a TiKV is Ready before its store is Up.
 */
export function disruptionBudget(manifest: TidbClusterManifest, member: Component): KubernetesObject {
    const labels = memberLabels(manifest, member);
    // `batchDecided` does not count: it only chooses pods that restart together, and a drain takes one at a time.
    const asksBefore = memberLifecycles[member].beforeRestart.some((stage) => stage !== batchDecided);
    return {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: objectMetadata(manifest, memberName(manifest.metadata.name, member), labels),
        spec: {
            maxUnavailable: asksBefore ? 0 : 1,
            selector: { matchLabels: labels },
        },
    };
}
