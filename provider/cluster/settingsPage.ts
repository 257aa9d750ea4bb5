import { lacksSettings } from "../lifecycle/settings/sameSetting";
import { settingsIn } from "../lifecycle/settings/settingIn";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import { inWords, type Settings } from "../lifecycle/vocabulary/settings";
import { inGroups } from "./inGroups";
import type { PodCalls, PodRequest } from "./podCalls";
import type { ForwardedPod } from "./podForwards";

/** How many servers are asked at once. */
export const asksAtOnce = 16;
/** How much of a refusal a message shows. */
const shownCharacters = 300;

/** @returns what each pod's server says, by the pod's name; not known if the pod is being deleted, or reading fails. */
export async function askPods(
    pods: readonly ObservedPod[],
    now: () => number,
    read: (pod: ObservedPod) => Promise<Settings>,
): Promise<Record<string, Fact<Settings>>> {
    const ask = async (pod: ObservedPod): Promise<Fact<Settings>> => {
        const at = now();
        if (pod.terminating) {
            return notKnown(`${pod.name} is being deleted`);
        }
        try {
            return known(await read(pod), pod.name, at);
        } catch (error) {
            return notKnown((error as Error).message);
        }
    };
    return Object.fromEntries(await inGroups(pods, asksAtOnce, async (pod) => [pod.name, await ask(pod)] as const));
}

/**
 * @param says what the server reports after it was asked to take the settings over.
 * @param answer what it answered to that. Default: it accepted.
 * @throws Error with both if it does not have the settings.
 */
export function assertTaken(
    { name }: Pick<ForwardedPod, "name">,
    settings: Settings,
    says: Settings,
    answer?: Awaited<ReturnType<PodCalls["call"]>>,
): void {
    const lacking = lacksSettings(settings, says);
    if (lacking !== undefined) {
        const answered = answer
            ? `answered ${answer.status}: ${answer.text.trim().slice(0, shownCharacters) || "nothing"}`
            : "accepted it";
        throw new Error(`${name} does not take over ${inWords(settings)}: it ${answered}, and reports ${lacking}`);
    }
}

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
