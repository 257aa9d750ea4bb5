import type { PlanPorts } from "../cluster/gatePorts";
import { noLook } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import type { PlanStep } from "../lifecycle/walks/planStep";
import { dependsOnBackups, planBackups } from "../lifecycle/walks/planBackups";

/**
 * @param seen what was observed for the plan.
 * @returns what the plan says of the backups that run. Only a plan that depends on them reads them, unless they were.
 */
export async function backupsBeside(
    steps: readonly PlanStep[],
    target: MemberTarget,
    ports: Pick<PlanPorts, "look">,
    { backups: read }: Pick<Observation, "backups"> = {},
): Promise<ReturnType<typeof planBackups>> {
    if (!dependsOnBackups(steps, target)) {
        return planBackups([], target);
    }
    const backups = read ?? (await ports.look({ ...noLook, backups: true })).backups;
    return planBackups(backups ?? [], target);
}
