import { memberName } from "../../topology/names";
import { type Notice, type NoticeCode, noticesOf } from "../lifecycle/vocabulary/notices";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { foreignFields } from "../lifecycle/walks/foreignFields";
import type { PlanStep } from "../lifecycle/walks/planStep";
import { warnedOfDeletedClaims } from "../lifecycle/walks/deletedClaims";
import type { MemberRisk } from "../lifecycle/walks/warnedRisks";

/** What the plan of a rollout warns of, and what of it is at risk. */
interface Warned {
    readonly warnings: Notice[];
    readonly memberRisks: MemberRisk[];
}

/** @param olds the inputs of the last update; empty if there was none. */
export function rolloutWarnings(
    seen: Observation,
    target: MemberTarget,
    steps: readonly Pick<PlanStep, "kind" | "target">[],
    olds: Record<string, unknown>,
): Warned {
    const all = [
        coded("foreign-fields", foreignFields(seen, target.component, steps)),
        coded("claim-deleted", warnedOfDeletedClaims(seen, target, steps)),
        deletedStatefulSet(seen, target, Object.keys(olds).length > 0),
    ];
    return {
        warnings: all.flatMap(({ warnings }) => warnings),
        memberRisks: all.flatMap(({ memberRisks }) => memberRisks),
    };
}

function coded(code: NoticeCode, found: { warnings: string[]; memberRisks: MemberRisk[] }): Warned {
    return { ...found, warnings: noticesOf(code, ...found.warnings) };
}

/** Pulumi creates a StatefulSet again that its state has and the cluster does not only after a refresh, and no gate knows of that. */
function deletedStatefulSet(
    { cluster, members }: Observation,
    { component, replicas }: MemberTarget,
    wasCreated: boolean,
): Warned {
    if (!wasCreated || replicas === 0 || members[component]?.statefulSet !== undefined) {
        return { warnings: [], memberRisks: [] };
    }
    const name = memberName(cluster, component);
    const warning = `StatefulSet ${name} does not exist, although an update has created it: somebody has deleted it, or a suspension was interrupted. Pulumi sees that only with a refresh: \`pulumi up --refresh\` creates it again. Another update may wait for it and fail`;
    return {
        warnings: noticesOf("statefulset-deleted", warning),
        memberRisks: [{ words: `StatefulSet ${name} may not be created again`, members: [component] }],
    };
}
