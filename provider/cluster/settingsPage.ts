import { settingsIn } from "../lifecycle/settings/settingIn";
import type { Settings } from "../lifecycle/vocabulary/settings";
import type { PodCalls, PodRequest } from "./podCalls";
import type { ForwardedPod } from "./podForwards";

/**
 * Reads settings from a page on which a pod's server reports its configuration as JSON.
 * @throws Error that names the pod if it does not answer with a configuration.
 */
export async function settingsOfPage(
    calls: Pick<PodCalls, "call">,
    pod: ForwardedPod,
    request: PodRequest,
    keys: readonly string[],
): Promise<Settings> {
    let answer: Awaited<ReturnType<PodCalls["call"]>>;
    const [page] = request.path.split("?");
    try {
        answer = await calls.call(pod, request);
    } catch (error) {
        throw new Error(`${pod.name} ${(error as Error).message}`, { cause: error });
    }
    if (answer.status !== 200) {
        throw new Error(`${pod.name} answers ${answer.status} to ${page}`);
    }
    try {
        return settingsIn(JSON.parse(answer.text), keys);
    } catch (error) {
        throw new Error(`${pod.name} answers ${page} with something other than JSON`, { cause: error });
    }
}
