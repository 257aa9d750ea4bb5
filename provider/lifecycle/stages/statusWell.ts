import type { Stage } from "../vocabulary/stage";

/** The pod reports on its status page that it is healthy. */
export function statusWell(page: string): Stage {
    return {
        name: "status-well",
        holds: ({ observation, podName }) => {
            const trouble = observation.podStatus?.[podName];
            return trouble === null || { lacks: `${page} of ${podName} ${trouble ?? "has not been queried"}` };
        },
        advice: "check the pod's log",
    };
}
