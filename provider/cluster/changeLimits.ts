import { entriesOf, type LimitChanges } from "../lifecycle/vocabulary/leaderLimits";
import type { PdClient } from "../pd";

/**
 * Changes PD's limits of how fast leaders move. PD has no way to change a value only if it is still the same, so each is read right
 * before: one that is not what it is to be changed from was changed by somebody else meanwhile, and stays.
 */
export async function changeLimits(
    client: Pick<PdClient, "leaderLimits" | "setConfig" | "setEvictionBatch">,
    changes: LimitChanges,
): Promise<void> {
    const now = await client.leaderLimits();
    for (const [name, { from, to }] of entriesOf(changes)) {
        if (now[name] === from) {
            await (name === "batch" ? client.setEvictionBatch(to) : client.setConfig({ [`schedule.${name}`]: to }));
        }
    }
}
