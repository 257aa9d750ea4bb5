import {
    countSteps,
    type GatePlan,
    reportOwnPlan,
    reportPlan,
    summarizePlans,
    besideRefusal,
} from "../lifecycle/walks/planReport";
import { warnedRisks } from "../lifecycle/walks/warnedRisks";
import type { Component } from "../../topology/members";
import { withoutForeseen } from "../lifecycle/walks/describePlan";
import type { Progress } from "../cluster/gatePorts";
import { describeRefusals } from "../lifecycle/vocabulary/ownership";
import type { CheckResult, CommonInputs, GateReport } from "./gateDefinition";
import { clusterOf, subjectOf } from "./gateSubject";
import type { GateWorld } from "./gateWorld";

/** How to tell the user what a gate found. */
export interface Telling {
    /** Whether this is a preview. An update reports each step when it is taken, so it does not repeat the plan. */
    isPreview: boolean;
    /** Whether no other gate of the cluster comes after this one: it sums up the plans of all of them. */
    isLast?: boolean;
}

/** Reports to the user what a gate found: its warnings, and in a preview its plan. @returns what Pulumi needs of it. */
export function tell(report: GateReport, world: GateWorld, { isPreview, isLast }: Telling): CheckResult {
    const { inputs, refused, warnings, remarks = [] } = report;
    const program = inputs as unknown as CommonInputs & { owner?: { urn: string }; component?: Component };
    const progress = world.progress(program);
    warnings.forEach((warning) => progress.warn(warning));
    if (isPreview && refused) {
        tellRefusal(subjectOf(inputs), program, world);
    } else if (isPreview) {
        tellPlan(planOfGate(report), program, world, isLast ?? false);
    }
    if (isPreview) {
        remarks.forEach(({ message }) => progress.info(`${subjectOf(inputs)}: ${message}`));
    }
    return resultOf(report);
}

/** Reports to the user what a gate found that is outside a cluster's plan, under a name of its own. @returns what Pulumi needs of it. */
export function tellOwnPlan(of: string, report: GateReport, progress: Progress, isPreview: boolean): CheckResult {
    const { inputs, warnings, plan } = report;
    warnings.forEach((warning) => progress.warn(warning));
    const words = reportOwnPlan({ of, plan, deferred: String(inputs.deferred) });
    if (isPreview && words !== undefined) {
        progress.info(words);
    }
    return resultOf(report);
}

function resultOf({ inputs, refused }: GateReport): CheckResult {
    return { inputs, ...(refused ? { failures: [{ property: "", reason: describeRefusals(refused) }] } : {}) };
}

function tellPlan(
    plan: GatePlan,
    program: CommonInputs & { owner?: { urn: string }; component?: Component },
    world: GateWorld,
    isLast: boolean,
): void {
    const { statusUrn } = program;
    const found = plansOf(program, world).set(statusUrn, plan);
    const earlier = [...found.values()].slice(0, [...found.keys()].indexOf(statusUrn));
    const before = earlier.reduce((sum, one) => sum + countSteps(one.plan), 0);
    const news = withoutForeseen(
        plan.plan,
        earlier.flatMap((one) => one.plan),
    );
    found.set(statusUrn, { ...plan, plan: news });
    const same = earlier.find((one) => one.deferred === plan.deferred && one.plan.length > 0);
    const deferred = plan.deferred && same ? `deferred: the plan of ${same.of} says why` : plan.deferred;
    const report = reportPlan(
        { ...plan, plan: news, deferred },
        before,
        warnedRisks([...found.values()], program.component),
    );
    if (report !== undefined) {
        world.progress(program).info(report);
    }
    if (allPlans(world).some(({ isRefused }) => isRefused)) {
        warnBesideRefusal([plan], program, world);
    }
    const summary = isLast ? summarizePlans(clusterOf(program), [...found.values()]) : undefined;
    if (summary !== undefined) {
        // On the line of the TidbCluster, which is what the user wrote.
        world.progress({ ...program, statusUrn: program.owner?.urn ?? statusUrn }).info(summary);
    }
}

/** A refusal is about the whole stack. Gates before it, also those of other clusters, have reported their steps already. */
function tellRefusal(of: string, program: CommonInputs, world: GateWorld): void {
    plansOf(program, world).set(program.statusUrn, { of, plan: [], deferred: "", isRefused: true });
    warnBesideRefusal(allPlans(world), program, world);
}

function warnBesideRefusal(plans: readonly GatePlan[], program: CommonInputs, world: GateWorld): void {
    const words = besideRefusal(plans);
    if (words !== undefined) {
        world.progress(program).warn({ code: "steps-beside-refusal", message: words });
    }
}

/** @returns the plans that the gates of all clusters have reported so far. */
function allPlans({ plans }: GateWorld): GatePlan[] {
    return [...plans.values()].flatMap((ofCluster) => [...ofCluster.values()]);
}

/** @returns the plans that the gates of the cluster have reported so far. */
function plansOf({ access, namespace, cluster }: CommonInputs, world: GateWorld): Map<string, GatePlan> {
    const key = JSON.stringify([access, namespace, cluster]);
    const found = world.plans.get(key) ?? new Map<string, GatePlan>();
    world.plans.set(key, found);
    return found;
}

/** @returns the plan in a gate's report, with the name of the StatefulSet or cluster that the gate is for. */
function planOfGate({ inputs, plan, unread, risks, memberRisks, estimate }: GateReport): GatePlan {
    return {
        of: subjectOf(inputs),
        plan,
        deferred: String(inputs.deferred),
        unread: unread?.message,
        risks,
        memberRisks,
        estimate,
    };
}
