import type { PlanPorts } from "../cluster/gatePorts";
import { noLook } from "../lifecycle/vocabulary/look";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import type { PlanStep } from "../lifecycle/walks/planStep";
import { dependsOnBackups, planBackups } from "../lifecycle/walks/planBackups";

/** @returns what the plan says of the backups that run. Only a plan that depends on them reads them. */
export async function backupsBeside(
    steps: readonly PlanStep[],
    target: MemberTarget,
    ports: Pick<PlanPorts, "look">,
): Promise<ReturnType<typeof planBackups>> {
    const seen = dependsOnBackups(steps, target) ? await ports.look({ ...noLook, backups: true }) : undefined;
    return planBackups(seen?.backups ?? [], target);
}
