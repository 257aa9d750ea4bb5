import { topology } from "../../../topology/members";
import { actionsOf, type DryRun } from "../dryRun/dryRun";
import { memberLifecycles } from "../members/memberLifecycles";
import { noticeOf } from "../vocabulary/actions";
import { counted } from "../vocabulary/counted";
import type { MemberTarget } from "../vocabulary/target";
import { type PlanStep, stopsOf } from "./planStep";

/**
 * @param run the dry run; undefined if none was made.
 * @param steps all steps of the plan, also those that are not foreseen.
 * @returns what clients notice of the plan, once for each kind; undefined if it is nothing.
 */
export function clientsNotice(
    run: DryRun | undefined,
    steps: readonly PlanStep[],
    { component }: Pick<MemberTarget, "component">,
): string | undefined {
    const notices = (run === undefined ? [] : actionsOf(run)).flatMap((action) => noticeOf(action) ?? []);
    const left = notices.flatMap((one) => (one.is === "leaders move" && one.leaders > 0 ? [one.leaders] : []));
    const leaders = left.reduce((sum, count) => sum + count, 0);
    const waits = [...new Set(notices.flatMap((one) => (one.is === "waits" ? [one.words] : [])))];
    const restarts = stopsOf(steps).length;
    const closes = memberLifecycles[component].closesConnections;
    const words = [
        ...(left.length === 0
            ? []
            : [
                  `${counted(leaders, "leader")} of ${counted(left.length, "store")} move, and requests to them are tried again`,
              ]),
        ...waits,
        ...(closes === undefined || restarts === 0
            ? []
            : [`${counted(restarts, "restart")} of ${topology[component].title} close their connections ${closes}`]),
    ];
    return words.length === 0 ? undefined : `clients notice: ${words.join("; ")}`;
}
