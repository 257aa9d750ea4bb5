import type { RunningBackup } from "../vocabulary/runningBackup";
import type { MemberTarget } from "../vocabulary/target";
import { defaultBackupWaitSeconds } from "../stages/runningBackups";
import type { PlanItem } from "./describePlan";
import type { PlanStep } from "./planStep";

/** The steps that a backup holds back, by member: see `noBackupBeforeRestart` and `noBackupBeforeRemoval`. */
const heldBack: Partial<Record<MemberTarget["component"], readonly PlanStep["kind"][]>> = {
    pd: ["restart"],
    tikv: ["restart", "remove"],
};

/** @returns whether a plan depends on which backups run. */
export function dependsOnBackups(
    steps: readonly Pick<PlanStep, "kind">[],
    { component }: Pick<MemberTarget, "component">,
): boolean {
    return steps.some(({ kind }) => heldBack[component]?.includes(kind));
}

/** @returns what comes before the steps of a plan because of the backups that run, and what such a backup puts at risk. */
export function planBackups(
    backups: readonly RunningBackup[],
    { policy }: Pick<MemberTarget, "policy">,
): { items: PlanItem[]; remarks: string[] } {
    const seconds = policy.backupWaitSeconds ?? defaultBackupWaitSeconds;
    return policy.duringBackup === "continue"
        ? { items: [], remarks: backups.map(goesOnBeside) }
        : { items: backups.map((one) => waitsFor(one, seconds)), remarks: [] };
}

function waitsFor({ name, does, state }: RunningBackup, seconds: number): PlanItem {
    const words = `wait until ${name}, which ${does} this cluster, has ended (${state}), and fail if it has not after ${seconds} s: BR tries a region again where its leader moves, and may fail; \`operations.backup.duringBackup: "continue"\` does not wait`;
    return { is: "task", words };
}

function goesOnBeside({ name, does, state }: RunningBackup): string {
    return `${name} ${does} this cluster (${state}), and operations.backup.duringBackup is "continue": where leaders move, BR tries regions again, and may fail`;
}
