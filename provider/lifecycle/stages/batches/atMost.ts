import type { PodView } from "../../vocabulary/stage";
import { sideBySide } from "../../vocabulary/target";
import type { BatchChoice, MemberBatch } from "./memberBatch";

/**
 * @param most how many may be down at once, whatever the program asks for.
 * @returns the first candidates, if they are proven, for a member of which one pod is like another.
 */
export function atMost(candidates: readonly PodView[], most: number, prove: MemberBatch["prove"]): BatchChoice {
    const [{ observation, target }] = candidates;
    const asked = sideBySide(target);
    if (most < 2) {
        return { why: `at most ${most} of them may be down` };
    }
    const pods = candidates.slice(0, asked === "zone" ? most : Math.min(asked, most));
    const stores = Object.fromEntries(pods.map(({ podName }) => [podName, null]));
    const found = prove(observation, target, stores);
    return "proof" in found ? { stores, proof: found.proof } : found;
}
