import { isDeepStrictEqual } from "node:util";
import type { Component } from "../../topology/members";
import { leaseName, memberName } from "../../topology/names";
import type { LeaseView } from "../cluster/leaseNotes";
import { describePlan, type PlanItem } from "../lifecycle/walks/describePlan";
import { leavingNotes, memberNotes } from "../lifecycle/walks/leaving";
import type { Unused } from "../lifecycle/walks/mayLeave";
import { type MemberNotes, refuseOwner, sameOwner } from "../lifecycle/vocabulary/ownership";
import { refuseBeforeObserving, refuseUnverified, refuseWhilePaused } from "./clusterRefusals";
import { releaseCluster } from "./destroy";
import { assertDomain, domainChange, refusedDomain } from "./domainChange";
import { createGate } from "./gate";
import { GateError } from "./gateError";
import { type ClusterProgramInputs, unknownValue } from "./inputs";
import { findLeavingMembers, planLeavingMembers, removeLeavingMember } from "./leavingMembers";
import { withhold } from "./paused";
import { deferring, planGate, reportWithoutPlan } from "./planGate";
import { compareInUpdate } from "./compareWithLive";
import { deployedBefore, programChanged } from "./lastUpdate";
import { checkPrerequisites } from "./prerequisites";
import { whatPodsLack } from "./requiredSecrets";
import { tell } from "./tellPlan";
import { nameIn, ReportedUnreachable } from "./unreachable";
import { withLock } from "./withLock";
import { type Gate, type GateDefinition, type GateReport, Unreadable } from "./gateDefinition";
import { type GateWorld, liveWorld } from "./gateWorld";
import { type Notice, noticesOf } from "../lifecycle/vocabulary/notices";

type Values = Record<string, unknown>;

/**
 * Defines the first gate of a cluster. It refuses a rename and a cluster that belongs to another stack. It takes members
 * that left the program out of PD, or refuses to, before Pulumi deletes their StatefulSets: no other gate sees that
 * deletion.
 * @param olds the inputs of the last update, from the stack's state.
 */
function clusterGateDefinition(olds: Values): GateDefinition<ClusterProgramInputs> {
    return {
        replicasOf: () => 0,
        notePause: (ports) => ports.notePause(),
        plan: async (inputs, ports) => {
            const lease = await ports.lease();
            const leaving = await findLeavingMembers(inputs, olds, lease, ports);
            const change = inputs.paused ? undefined : domainChange(lease, inputs, olds);
            const domain = change && (await refusedDomain(change, inputs, ports));
            if (domain !== undefined) {
                return { plan: [], refused: domain };
            }
            const found = await planLeavingMembers(leaving, inputs, ports);
            const refused = inputs.paused ? refuseWhilePaused(leaving) : found.refused;
            if (refused.length > 0) {
                return { plan: [], refused };
            }
            if (found.trouble !== undefined) {
                throw new Unreadable("pd-answers", found.trouble, found.steps);
            }
            const back = inputs.components.filter((one) => lease?.members?.[one]?.hasLeft);
            const notes = [
                ...(sameOwner(lease?.owner, inputs.owner)
                    ? []
                    : [`record ${inputs.owner.stack} as the owner of the cluster`]),
                ...(change === undefined
                    ? []
                    : [`record spec.clusterDomain: ${inputs.domain ?? "none"} (before: ${change.before || "none"})`]),
                ...(back.length === 0
                    ? []
                    : [`record that ${back.join(" and ")} ${back.length === 1 ? "is" : "are"} in the program again`]),
            ];
            const tasks = (inputs.paused ? [] : notes).map((words): PlanItem => ({ is: "task", words }));
            const plan = [...(inputs.paused ? [] : endpointNotes(lease, inputs)), ...found.steps, ...tasks];
            return { plan, foreseen: found.foreseen };
        },
        effect: async (inputs, ports, first) => {
            if (!inputs.paused) {
                await compareInUpdate(inputs, ports);
            }
            const lease = await ports.lease();
            const leaving = await findLeavingMembers(inputs, olds, lease, ports);
            if (inputs.paused || (leaving.length === 0 && isNotedIn(lease, inputs, leaving))) {
                return;
            }
            await withLock(`bring the members of ${inputs.cluster} in line with the program`, ports, async (lock) => {
                const live = await ports.lease();
                assertOwn(live, inputs, !first);
                const change = domainChange(live, inputs, olds);
                if (change !== undefined) {
                    await assertDomain(change, inputs, ports);
                }
                const members = notesOf(inputs, live, leaving);
                if (live?.members !== undefined && leaving.some((one) => live.members?.[one]?.unattended)) {
                    // Before its stores leave: the controller must not bring them back.
                    await lock.confirmHeld({ usesPd: false, isAlone: false });
                    await lock.noteMembers(withoutLeaving(live.members, leaving));
                }
                for (const component of leaving) {
                    await removeLeavingMember(component, inputs, ports);
                }
                await lock.confirmHeld({ usesPd: false, isAlone: false });
                await lock.noteOwner(inputs.owner, inputs.domain, inputs.sqlEndpoint);
                await lock.noteMembers(members);
            });
        },
    };
}

function isNotedIn(lease: LeaseView | undefined, inputs: ClusterProgramInputs, leaving: Component[]): boolean {
    const members = notesOf(inputs, lease, leaving);
    return (
        !lease?.isPaused &&
        lease?.domain === (inputs.domain ?? "") &&
        lease.sqlEndpoint === inputs.sqlEndpoint &&
        sameOwner(lease.owner, inputs.owner) &&
        isDeepStrictEqual(lease.members, members)
    );
}

/** Clients that read the output connect elsewhere after the update. Of a cluster that an earlier build deployed it is not known where they connect now. */
function endpointNotes(lease: LeaseView | undefined, { cluster, sqlEndpoint }: ClusterProgramInputs): PlanItem[] {
    const before = lease?.sqlEndpoint;
    if (!before || sqlEndpoint === undefined || before === sqlEndpoint) {
        return [];
    }
    const isProxy = sqlEndpoint.startsWith(`${memberName(cluster, "tiproxy")}.`);
    const words = `the output sqlEndpoint changes from ${before} to ${sqlEndpoint || "nothing"}${isProxy ? '; to keep it, set operations.sqlEndpoint to "tidb"' : ""}`;
    return [{ is: "note", code: "sql-endpoint-changes", words, isWarning: false }];
}

function notesOf(inputs: ClusterProgramInputs, lease: LeaseView | undefined, leaving: Component[]): MemberNotes {
    const { memberReplicas, suspended = [], unattended } = inputs;
    return memberNotes(memberReplicas, suspended, lease?.members, leaving, unattended);
}

/** The notes of the last update, in which the controller replaces nothing of the members that leave. */
function withoutLeaving(noted: MemberNotes, leaving: readonly Component[]): MemberNotes {
    return { ...noted, ...leavingNotes(noted, leaving) };
}

/** Checks the owner again: another stack may have taken the cluster since the preview. */
function assertOwn(lease: LeaseView | undefined, inputs: ClusterProgramInputs, isDeployed: boolean): void {
    const reason = lease && refuseOwner(lease, inputs.leaseUid, inputs.owner, isDeployed);
    if (reason !== undefined) {
        const target = `Lease ${inputs.namespace}/${leaseName(inputs.cluster)}`;
        throw new GateError({ code: "owned-elsewhere", step: "owner", target, seen: reason, next: "nothing was done" });
    }
}

/** @returns the methods of the cluster's gate. It checks names and owner even when everything else must be deferred. */
export function createClusterGate(world: GateWorld = liveWorld): Gate {
    const gateOf = (olds: Values) => createGate(clusterGateDefinition(olds), world);
    const planOf = (olds: Values, news: Values, isPreview = false) => planClusterGate(world, olds, news, isPreview);
    return {
        planOf: (olds, news) => planOf(olds, news),
        check: async (olds, news, isPreview = false) => tell(await planOf(olds, news, isPreview), world, { isPreview }),
        // The pause is noted on the Lease, and so is its end.
        diff: async (id, olds, news) =>
            Boolean(olds.paused) === Boolean(news.paused) ? gateOf(olds).diff(id, olds, news) : { changes: true },
        create: (inputs) => gateOf({}).create(inputs),
        update: (id, olds, news) => gateOf(olds).update(id, olds, news),
        delete: (id, props) => releaseCluster(id, props, world),
    };
}

async function planClusterGate(world: GateWorld, olds: Values, given: Values, isPreview: boolean): Promise<GateReport> {
    const news = { ...given, unused: stillUnused(olds, given) };
    const program = news as unknown as ClusterProgramInputs;
    const warnings: Notice[] = [];
    const warn = (notice: Notice): unknown => warnings.push(notice);
    const withoutPlan = (): GateReport => ({ ...reportWithoutPlan({ ...news, replicas: 0 }), warnings });
    const refused = await refuseBeforeObserving(olds, program, world, warn);
    if (refused) {
        return { ...withoutPlan(), refused: [refused] };
    }
    const [{ refused: missing, notCompared, risks = [], memberRisks = [] }, lacking] = await Promise.all([
        checkPrerequisites(olds, program, world, warn, isPreview),
        whatPodsLack(olds, program, world),
    ]);
    if (missing.length > 0) {
        return { ...withoutPlan(), refused: missing };
    }
    lacking.forEach(({ code, message }) => warn({ code, message }));
    // A member that leaves a paused cluster is refused, not withheld: Pulumi would delete it anyway. The prerequisites may
    // be unknown in a preview, and the plan does not depend on them. The output only makes a note.
    const { paused, prerequisites, sqlEndpoint, ...asked } = news as Values & Partial<ClusterProgramInputs>;
    const output = sqlEndpoint === undefined ? {} : { sqlEndpoint };
    const others = sqlEndpoint === unknownValue ? asked : { ...asked, ...output };
    const definition = {
        ...withPaused(clusterGateDefinition(olds), paused === true),
        // An update with changes then ends at this gate, before anything is changed.
        stepsWhenUnreachable: (): PlanItem[] => (programChanged(olds, news) ? [comparison] : []),
    };
    const planned = await planGate(definition, world, olds, others);
    const report: GateReport = {
        ...planned,
        inputs: { ...planned.inputs, prerequisites, ...output },
        warnings: [...warnings, ...planned.warnings],
        risks: [...(program.prerequisites?.risks ?? []), ...risks, ...lacking.flatMap(({ risk = [] }) => risk)],
        memberRisks: [...memberRisks, ...lacking.flatMap(({ memberRisk = [] }) => memberRisk)],
    };
    const found = notCompared === undefined ? report : withComparison(olds, report, notCompared);
    const unseen = found.refused ? undefined : refuseUnverified(olds, program, String(found.inputs.deferred));
    if (unseen) {
        return { ...found, refused: [unseen] };
    }
    return paused === true ? whilePaused(olds, found) : referringToWarning(found, program);
}

/** What is left to the update if its check could not read the cluster. */
const comparison: PlanItem = {
    is: "reading",
    words: "compare the cluster with the program once the API server answers",
};

/** The warning says the cause. Repeated in the gate's report and in the cluster's summary, it would hide the rest. */
function referringToWarning(found: GateReport, { statusUrn }: ClusterProgramInputs): GateReport {
    const { silence } = found;
    if (silence === undefined) {
        return found;
    }
    const { message } = new ReportedUnreachable(silence, nameIn(statusUrn));
    return deferring(found, { code: "api-call-failed", message });
}

/** Adds the comparison as a step: without a step, Pulumi would keep the new inputs and the versions would never be compared. */
function withComparison(olds: Values, found: GateReport, why: string): GateReport {
    const plan = found.refused || found.plan.includes(comparison) ? found.plan : [comparison, ...found.plan];
    const prerequisites = { ...(found.inputs.prerequisites as object), comparesWith: deployedBefore(olds) };
    // A deferred plan already says why.
    const [unread] = found.deferral === undefined ? noticesOf("api-call-failed", why) : [];
    return { ...found, plan, unread, inputs: { ...found.inputs, prerequisites, plan: describePlan(plan) } };
}

/** @returns the definition with `paused` restored: refusals of a paused cluster are not withheld. */
function withPaused(
    definition: GateDefinition<ClusterProgramInputs>,
    paused: boolean,
): GateDefinition<ClusterProgramInputs> {
    return { ...definition, plan: (inputs, ports, olds) => definition.plan({ ...inputs, paused }, ports, olds) };
}

function whilePaused(olds: Values, found: GateReport): GateReport {
    if (found.refused || Object.keys(olds).length === 0) {
        return { ...found, inputs: { ...found.inputs, paused: true } };
    }
    const { inputs } = withhold(olds, found);
    return { inputs, plan: [], warnings: found.warnings };
}

/** Keeps what was proved about a member that has left since: a run that resumes cannot prove it again. */
function stillUnused(olds: Values, news: Values): Partial<Record<Component, Unused>> {
    const program = (news.components ?? []) as Component[];
    const before = Object.entries((olds.unused ?? {}) as Partial<Record<Component, Unused>>);
    const kept = before.filter(([component]) => !program.includes(component as Component));
    return { ...Object.fromEntries(kept), ...(news.unused as object) };
}
