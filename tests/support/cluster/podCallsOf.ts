import type { PodAnswer, PodCalls, PodRequest } from "../../../provider/cluster/podCalls";
import type { ForwardedPod } from "../../../provider/cluster/podForwards";

/** @returns calls to pods that `answer` answers. A change is sent only if it is allowed, as by the real ones. */
export function podCallsOf(
    answer: (pod: ForwardedPod, request: PodRequest) => Promise<PodAnswer>,
): Pick<PodCalls, "call" | "change" | "keepOnly"> {
    return {
        keepOnly: () => undefined,
        call: answer,
        change: async (pod, request, assertAllowed) => {
            assertAllowed();
            return answer(pod, request);
        },
    };
}

/** Nothing keeps a change from being sent. */
export const allowed = (): void => undefined;
