import { majority } from "../pdQuorum";
import type { Observation } from "../../vocabulary/observation";

/** @returns why PD's members are no quorum, or not known to be one; undefined if they are. */
export function lacksQuorum({ pd: { members }, pdTrouble }: Observation): string | undefined {
    if (pdTrouble !== undefined || !members.known) {
        return `PD's members are not known: ${pdTrouble?.why ?? (members as { why: string }).why}`;
    }
    const healthy = members.value.filter((member) => member.healthy).length;
    const needed = majority(members.value.length);
    return members.value.length > 0 && healthy >= needed
        ? undefined
        : `${healthy} of ${members.value.length} PD members are healthy, expected at least ${needed}`;
}
