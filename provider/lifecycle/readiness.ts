import type { Observation } from "./observation";
import { isNameOf, viewOf } from "./stage";
import type { MemberTarget } from "./target";

/** @returns what one member lacks, a line each: pods that are not Ready, members unhealthy, stores not Up. */
export function describeMissing(observation: Observation, target: MemberTarget): string[] {
    const missing: string[] = [];
    for (let ordinal = 0; ordinal < target.replicas; ordinal++) {
        const view = viewOf(observation, target, ordinal);
        if (!view.pod) {
            missing.push(`wait for ${view.podName}: it does not exist`);
        } else if (!view.pod.ready) {
            missing.push(`wait for ${view.podName} to be Ready${view.pod.trouble ? `: ${view.pod.trouble}` : ""}`);
        } else if (target.component === "pd" && observation.pd?.members) {
            const member = observation.pd.members.find((one) => isNameOf(one.name, view.podName));
            if (!member?.healthy) {
                missing.push(`wait for PD member ${view.podName}: ${member ? "it is unhealthy" : "it has not joined"}`);
            }
        } else if (target.component === "tikv" && observation.pd?.stores && view.store?.state !== "Up") {
            missing.push(`wait for the store of ${view.podName}: it is ${view.store?.state ?? "not registered"}`);
        }
    }
    if (target.component === "tikv") {
        for (const [storeId, record] of Object.entries(observation.records.evictions)) {
            missing.push(`end the eviction of store ${storeId} (${record.pod}) that an earlier run left behind`);
        }
    }
    return missing;
}
