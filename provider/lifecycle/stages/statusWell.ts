import type { Stage } from "../vocabulary/stage";

/** The pod itself answers, at this page of its, that it is well. */
export function statusWell(page: string): Stage {
    return {
        name: "status-well",
        holds: ({ observation, podName }) => {
            const trouble = observation.podStatus?.[podName];
            return trouble === null || { lacks: `${page} of ${podName} ${trouble ?? "has not been asked"}` };
        },
        advice: "look at the log of that pod",
    };
}
