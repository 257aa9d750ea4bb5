import { codeOfPd } from "../lifecycle/vocabulary/waitOrFail";
import { topology } from "../../topology/members";
import { leaseName, memberName } from "../../topology/names";
import { forgetFailures, nextFailoverMove } from "../lifecycle/failover/failoverMoves";
import { planFailover } from "../lifecycle/failover/planFailover";
import { mustForget, notBelowPlan, withReplacements } from "../lifecycle/failover/records";
import { isOver, targetNow } from "../lifecycle/failover/recovery";
import type { Observation, ObservedStatefulSet } from "../lifecycle/vocabulary/observation";
import { lowBeforeAdding, missingSpaceInWords } from "../lifecycle/stages/storeSpace";
import { refusedChange } from "../lifecycle/volumes/refusedChange";
import { refusedForVolumes } from "../lifecycle/walks/keptVolumes";
import { lookCloser, type LookOptions, noLook } from "../lifecycle/vocabulary/look";
import { type ChosenSpread, chooseSpread } from "../lifecycle/spread/chooseSpread";
import { noSpread, type Spread } from "../lifecycle/vocabulary/spread";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";
import { type PlanItem, stepItems, undecidedItems } from "../lifecycle/walks/describePlan";
import { areReplicasHeld, giveReplicasBack, isGivenBack, isSetAgain } from "../lifecycle/walks/ownReplicas";
import { describeScaling } from "../lifecycle/walks/describeScaling";
import { dueScaling, planScale } from "../lifecycle/walks/planScale";
import { lacksInRecovery, recoveryEnds, refusalInRecovery } from "../lifecycle/walks/recoveryMode";
import {
    mayDeleteReleased,
    mayHaveTakenBackRemoval,
    nextScaleMove,
    ordinalsOf,
    refusedReturn,
} from "../lifecycle/walks/scale";
import { type MemberTarget, sideBySide } from "../lifecycle/vocabulary/target";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import { runningMeanwhile } from "../lifecycle/stages/runningBackups";
import { planMemberFailover } from "./failover";
import { estimateOf } from "./estimate";
import { endItems } from "../lifecycle/dryRun/holds";
import { nextVolumesMove } from "../lifecycle/volumes/nextVolumesMove";
import { withRemade } from "../lifecycle/volumes/remake";
import { droppedVolumes, refusedTogether } from "../lifecycle/volumes/planPodVolumes";
import { addedTemplates } from "../lifecycle/stages/podVolumes";
import { podsWithNewVolumes, tooSmallVolumes } from "../lifecycle/volumes/planReplacement";
import { dueVolumes, growsWithUse, largerVolumes, notGrowing } from "../lifecycle/volumes/planVolumes";
import { isReplacing, nextReplacementMove, preparesReplacement } from "../lifecycle/volumes/replacement";
import type { Memory } from "../lifecycle/vocabulary/memory";
import type { Move } from "../lifecycle/vocabulary/move";
import type { PlanPorts } from "../cluster/gatePorts";
import { createGate } from "./gate";
import { lookAtUse } from "./growVolumes";
import { GateError, refusalAhead } from "./gateError";
import { type GateFixedFields, type GateProgramInputs, unknownPath } from "./inputs";
import {
    glanceForScale,
    lookForBoth,
    lookForFailover,
    lookForRollout,
    lookForScale,
    lookForScalePlan,
    withClaims,
    withSizes,
} from "./looks";
import { runOperation } from "./loop";
import { dryRun, notRun } from "../lifecycle/dryRun/dryRun";
import { allSteps, notForeseen } from "../lifecycle/dryRun/planSteps";
import { untilAsked } from "../lifecycle/walks/planLooks";
import { runDry } from "./runDry";
import { type Gate, type GateDefinition, Unreadable } from "./gateDefinition";
import { operationApproval, planToApprove } from "./operationApproval";
import { untilMemberHasStopped } from "./untilStopped";
import { noticesOf } from "../lifecycle/vocabulary/notices";

function targetOf(inputs: GateProgramInputs): MemberTarget {
    const { component, desiredReplicas, wantedTemplate, policy, recoveryMode, fixed, growth, labels } = inputs;
    const { claims } = fixed;
    const restored = recoveryMode ? { restoredClaims: claims.map(({ name }) => name) } : {};
    return {
        component,
        replicas: desiredReplicas,
        wantedTemplate,
        policy,
        claims,
        growth,
        ...restored,
        ...(labels ? { labels } : {}),
    };
}

/** Where volumes are replaced, pods start again as in a rollout. */
function lookForWork(look: LookOptions, { component }: GateProgramInputs, isRenewing: boolean): LookOptions {
    return isRenewing ? lookForBoth(lookForRollout(component), look) : look;
}

/** What to observe of the member's claims: their sizes, and whether they have data. */
function withOwnClaims(look: LookOptions, { component, fixed }: GateProgramInputs): LookOptions {
    return withSizes(withClaims(look, component, fixed), fixed);
}

/**
 * Comes before a StatefulSet: lets a new number of replicas through once the leaving stores and members have left PD, and
 * once the volumes released by an earlier scale-in are gone. The preview refuses changes that would lose data.
 */
export const scaleGateDefinition: GateDefinition<GateProgramInputs> = {
    // The replacements that the last update knew of stay, where the Lease cannot be read.
    replicasOf: ({ desiredReplicas }, olds) =>
        isNumber(desiredReplicas) && isNumber(olds.replicas) && isNumber(olds.desiredReplicas)
            ? desiredReplicas + Math.max(0, olds.replicas - olds.desiredReplicas)
            : desiredReplicas,
    replicasAfter: async (inputs, ports) => {
        const { cluster } = inputs;
        const lease = await ports.lease();
        if (lease?.uid !== inputs.leaseUid) {
            const seen = lease === undefined ? "the Lease is gone" : "the Lease was created again";
            const next = "the number of replicas was not changed: find out who deletes it, then run `pulumi up` again";
            throw new GateError({
                code: lease === undefined ? "lease-gone" : "lease-recreated",
                step: "replicas",
                target: `Lease ${leaseName(cluster)}`,
                seen,
                next,
            });
        }
        const target = withReplacements({ cluster, records: lease.records }, targetOf(inputs));
        return target.replicas >= inputs.replicas
            ? target.replicas
            : notBelowPlan(target, inputs.replicas, await ports.look(glanceForScale(inputs.component))).replicas;
    },
    assumed: ({ wantedSpread, fixed }, olds) => {
        if (wantedSpread === undefined || unknownPath({ wantedSpread, fixed }) !== undefined) {
            return {};
        }
        // While nobody knows the live template, nothing is added to that of a member that was deployed before.
        const isNew = Object.keys(olds).length === 0;
        return { fixed: withSpread(fixed, isNew ? wantedSpread.spread : before(olds)) };
    },
    // The live StatefulSet may have more replicas than the program knows (`up --refresh` after `kubectl scale`): the
    // number must not fall without an observation.
    stepsWhenUnreachable: () => [{ is: "reading", words: "read the number of replicas once the API server answers" }],
    plan: async (inputs, ports, olds) => {
        const wanted = targetOf(inputs);
        const { field = inputs.component, refuseReplicas, volumesField } = memberLifecycles[inputs.component];
        const look: PlanPorts["look"] = async (options, lag) =>
            withRemade(await ports.look(withOwnClaims(options, inputs), lag), inputs.component);
        const first = await look(glanceForScale(inputs.component));
        const member = first.members[inputs.component];
        const live = member?.statefulSet;
        const chosen = await choose(inputs, first, withReplacements(first, wanted).replicas, before(olds), look);
        const findings: Record<string, unknown> = chosen ? { fixed: withSpread(inputs.fixed, chosen.spread) } : {};
        const change = live
            ? refusedChange(
                  live.fixed,
                  inputs.fixed,
                  {
                      ...{ cluster: first.cluster, component: inputs.component, claims: member?.claims ?? [] },
                      replacesVolumes: inputs.policy.replacesVolumes,
                  },
                  volumesField,
              )
            : refusedForVolumes(first, wanted, inputs.fixed);
        if (change) {
            return {
                findings,
                plan: [],
                refused: { property: `spec.${field}.${change.field}`, reason: change.reason },
            };
        }
        if (chosen?.refused !== undefined) {
            return { findings, plan: [], refused: { property: "operations.placement", reason: chosen.refused } };
        }
        const failed = await runDry(planMemberFailover(inputs, first, wanted), noLook, { look });
        const { target } = failed;
        const { leaving, coming } = ordinalsOf(first, target);
        const mayBeTakenBack = mayHaveTakenBackRemoval(first, target);
        const remarks = [
            ...(chosen?.remarks ?? []),
            ...failed.remarks,
            ...largerVolumes(first, wanted),
            ...droppedVolumes(first, wanted),
        ];
        const used = live && wanted.growth && (await lookAtUse(glanceForScale(inputs.component), target, { look }));
        const volumes = dueVolumes(used ?? first, target);
        const replaces = failed.steps.filter(({ kind }) => kind === "replace").map((step) => step.target);
        const together = refusedTogether(first, target, replaces);
        if (together) {
            const property = `spec.${field}.${volumesField ?? together.field}`;
            return { findings, plan: [], refused: { property, reason: together.reason } };
        }
        const renews = podsWithNewVolumes(first, target);
        const isRenewing = renews.length > 0 || isReplacing(first, inputs.component);
        Object.assign(findings, replaces.length > 0 ? { replaces } : {}, isRenewing ? { renews } : {});
        // The API server takes no template with a volume that has no claim template yet, and without the number none is tried.
        const addsVolumes = addedTemplates(live, wanted).length > 0;
        const warnings = [...failed.warnings, ...(used ? notGrowing(used, target) : [])];
        const common = {
            findings,
            replicas: target.replicas,
            ...(areReplicasHeld(first, target) || addsVolumes ? { replicasHeld: true as const } : {}),
            warnings,
            ...(remarks.length > 0 ? { remarks } : {}),
        };
        const setAgain = isSetAgain(first, target, olds.replicas);
        const owned = [
            ...(setAgain ? [setsAgain(first, target)] : []),
            ...(live && isGivenBack(live) && !setAgain ? [takesOver(live, target)] : []),
            ...(isReplacing(first, inputs.component) ? [endsReplacement] : []),
        ];
        const waits = lacksInRecovery(first, target, coming);
        const isNothingDue = [leaving, coming, failed.steps, volumes].every(({ length }) => length === 0);
        if (isNothingDue && !mayBeTakenBack && !waits) {
            // Of a failover that is over, nothing may be left to scale in.
            const isLeft =
                failed.forgotten.length > 0 ||
                mustForget(first, wanted) ||
                isOver(failed.foreseen ?? first, wanted, inputs.failover);
            return { plan: [...(isLeft ? [forgets] : []), ...owned], ...common };
        }
        const grows = used !== undefined && growsWithUse(used, target);
        const asksPd = leaving.length > 0 || isRenewing || mayBeTakenBack || mayDeleteReleased(first, target) || grows;
        const lookWithPd = lookForWork(lookForScalePlan(inputs.component), inputs, isRenewing);
        const observation =
            failed.foreseen ??
            (waits && "look" in waits
                ? await look(lookCloser(lookWithPd, waits.look))
                : asksPd
                  ? await look(lookWithPd)
                  : first);
        if (observation.pdTrouble !== undefined) {
            const returning = refusedReturn(observation, target);
            if (returning !== undefined) {
                return { findings, plan: [], refused: { property: `spec.${field}.replicas`, reason: returning } };
            }
            const sure = notForeseen(dueScaling(first, target), first);
            // The number that the Lease explains: the state's may be that of before a failover by the controller.
            const { replicas } = withReplacements(first, wanted);
            const known = { ...findings, replicas };
            const replicasHeld = addsVolumes || areReplicasHeld(first, { ...target, replicas });
            throw new Unreadable(
                codeOfPd(observation.pdTrouble),
                observation.pdTrouble.why,
                [...stepItems(notForeseen(volumes, first)), ...undecidedItems(sure), ...owned],
                known,
                [],
                replicasHeld,
            );
        }
        const lookedWith = asksPd ? lookWithPd : glanceForScale(inputs.component);
        const kept = tooSmallVolumes(observation, target);
        if (kept !== undefined) {
            return { findings, plan: [], refused: { property: `spec.${field}.${kept.field}`, reason: kept.reason } };
        }
        // The others are waited for first.
        const isUnderWay = isReplacing(observation, inputs.component);
        const reason = leaving.length > 0 && !isUnderWay ? refuseReplicas(observation, target) : undefined;
        const found = lacksInRecovery(observation, target, coming);
        const lacking = found && "lacks" in found ? found : undefined;
        const { engine } = topology[inputs.component];
        if (live && engine && (coming.length > 0 || replaces.length > 0)) {
            const seen = observation.pd.stores.known ? observation : await look(lookForScale(inputs.component));
            const low = lowBeforeAdding(seen, engine);
            remarks.push(...noticesOf("store-low-on-space", low));
        }
        const space = engine && leaving.length > 0 ? missingSpaceInWords(observation, target, engine) : undefined;
        remarks.push(...noticesOf("no-space-for-removal", space));
        const seen = failed.seen ?? observation;
        const foreseen =
            reason === undefined && lacking === undefined
                ? await runDry(
                      dryRun(decider(inputs, target.replicas, replaces, olds), seen),
                      failed.seen ? lookForFailover(inputs.component) : lookedWith,
                      { look },
                  )
                : undefined;
        const due = [...failed.steps, ...volumes, ...dueScaling(observation, target)];
        const steps = planScale(foreseen ?? notRun(seen), observation, target, due);
        const all = allSteps(steps);
        const toApprove = planToApprove(inputs, descriptionOf(inputs, target.replicas), { steps: all, target }, seen);
        const timed = await estimateOf(steps, ports, observation, target);
        remarks.push(...noticesOf("backup-runs", ...runningMeanwhile(observation, all, target)));
        return {
            ...common,
            ...(remarks.length > 0 ? { remarks } : {}),
            plan: [
                ...stepItems(timed.foreseen),
                ...(recoveryEnds(observation, target) ? [ends] : []),
                ...(lacking ? [{ is: "missing", words: `wait: ${lacking.lacks}` } as const] : []),
                ...(foreseen ? endItems(foreseen) : []),
                ...stepItems(timed.rest),
                ...owned,
                ...approvalItems(toApprove, observation),
            ],
            estimate: timed.estimate,
            ...(foreseen ? { foreseen: [foreseen] } : {}),
            refused: lacking?.refuses
                ? refusalInRecovery(lacking, inputs.recoveryMode === true)
                : reason !== undefined
                  ? { property: `spec.${field}.replicas`, reason }
                  : foreseen && (volumes.length > 0 || isUnderWay)
                    ? refusalAhead(foreseen, `spec.${field}`, preparesReplacement)
                    : undefined,
        };
    },
    effect: async (inputs, ports, _first, olds) => {
        const wanted = targetOf(inputs);
        const { failover, replicas, replaces = [], renews } = inputs;
        const decide = decider(inputs, replicas, replaces, olds);
        const targetIn = targetsOf(inputs, replicas);
        // The replacement of a pod that dies meanwhile would keep a pod that leaves out of what a person is asked for.
        const limits = { planned: replaces, mayRecover: replicas <= wanted.replicas };
        let scales: string | undefined;
        await runOperation(
            {
                description: descriptionOf(inputs, replicas),
                look: withOwnClaims(lookForWork(lookForScale(inputs.component), inputs, renews !== undefined), inputs),
                next: (observation, memory, isAllApproved) => {
                    scales = describeScaling(observation, targetIn(observation));
                    return decide(observation, memory, isAllApproved);
                },
                approval: operationApproval(
                    inputs,
                    descriptionOf(inputs, replicas),
                    (observation) => {
                        const failed = failover && planFailover(observation, wanted, failover, limits);
                        const target = failed
                            ? notBelowPlan(failed.target, replicas, observation)
                            : targetIn(observation);
                        const due = [
                            ...(failed?.steps ?? []),
                            ...dueVolumes(observation, target),
                            ...dueScaling(observation, target),
                        ];
                        const { run } = untilAsked(dryRun(decide, observation));
                        return { steps: allSteps(planScale(run, observation, target, due)), target };
                    },
                    // The StatefulSet's new number of replicas takes the pods away that the plan removes.
                    true,
                ),
            },
            ports,
        );
        if (scales !== undefined) {
            ports.progress.info(scales);
        }
    },
};

/**
 * @param replicas the number of replicas that the plan shows. What it did not show, as replacements that go because all are back meanwhile, is
 * left to the next update.
 * @returns the target that an observation calls for.
 */
function targetsOf(inputs: GateProgramInputs, replicas: number): (observation: Observation) => MemberTarget {
    const wanted = targetOf(inputs);
    const mayRecover = replicas <= wanted.replicas;
    return (observation) =>
        notBelowPlan(
            mayRecover ? targetNow(observation, wanted, inputs.failover) : withReplacements(observation, wanted),
            replicas,
            observation,
        );
}

/** @param planned the pods that the plan replaces. @returns the decider of the update, and of its dry run. */
function decider(
    inputs: GateProgramInputs,
    replicas: number,
    planned: readonly string[],
    olds: Record<string, unknown>,
): (observation: Observation, memory: Memory, isAllApproved?: () => boolean) => Move {
    const wanted = targetOf(inputs);
    const { failover } = inputs;
    const allowed = failover && { policy: failover, planned };
    const targetIn = targetsOf(inputs, replicas);
    // One removal at a time, so none is half done while the run waits for consent to the next one.
    const oneByOne = (target: MemberTarget) => ({ ...target, policy: { ...target.policy, scaleInParallelism: 1 } });
    return (observation, memory, isAllApproved = () => true) => {
        const failing = allowed && nextFailoverMove(observation, wanted, allowed, memory);
        if (failing) {
            return failing;
        }
        const target = targetIn(observation);
        const volumes =
            nextVolumesMove(observation, target, memory) ?? nextReplacementMove(observation, target, memory);
        if (volumes) {
            return volumes;
        }
        const move = nextScaleMove(observation, isAllApproved() ? target : oneByOne(target), memory);
        const mayRecover = replicas <= wanted.replicas;
        return move.kind === "done"
            ? (forgetFailures(observation, wanted, { policy: failover, mayRecover }, memory) ??
                  giveReplicasBack(observation, target, olds.replicas, memory) ??
                  move)
            : move;
    };
}

function setsAgain({ cluster, members }: Observation, { component, replicas }: MemberTarget): PlanItem {
    const { replicas: from, scaledBy } = members[component]?.statefulSet ?? {};
    const words = `scale StatefulSet ${memberName(cluster, component)} from ${from} to ${replicas}: ${scaledBy} has changed it, which Pulumi does not see`;
    return { is: "task", words };
}

function takesOver(
    { name, scaledBy, replicas: live }: ObservedStatefulSet,
    { replicas, added = 0 }: MemberTarget,
): PlanItem {
    const who = scaledBy ?? `pulumi-tidb${added > 0 ? " for a replacement" : ""}`;
    const sets = live === replicas ? "" : `; this update sets ${replicas}`;
    return { is: "task", words: `take over the replicas of ${name}: ${live} set by ${who}${sets}` };
}

const forgets: PlanItem = { is: "task", words: "delete the record of failures that no longer count" };

const endsReplacement: PlanItem = {
    is: "task",
    words: "delete the record of replaced volumes, once all pods are well",
};

const ends: PlanItem = {
    is: "note",
    code: "recovery-mode-ends",
    words: "recovery mode ends: TiKV restarts, then TiDB is deployed",
    isWarning: false,
};

/** Which other nodes take pods of crowded ones is asked only where it decides something. */
async function choose(
    { component, wantedSpread, policy }: GateProgramInputs,
    first: Observation,
    wanted: number,
    earlier: Spread,
    look: (options: LookOptions) => Promise<Observation>,
): Promise<ChosenSpread | undefined> {
    if (wantedSpread === undefined) {
        return undefined;
    }
    const chooseFrom = ({ members }: Observation) => {
        const member = members[component];
        const replicas = member?.statefulSet?.replicas ?? 0;
        const isOneByOne = sideBySide({ policy, replicas }) === 1;
        return chooseSpread(
            wantedSpread,
            member,
            earlier,
            isOneByOne,
            Math.max(0, wanted - (member?.pods.length ?? 0)),
        );
    };
    const chosen = chooseFrom(first);
    return chosen.asks ? chooseFrom(await look({ ...glanceForScale(component), ...chosen.asks })) : chosen;
}

function isNumber(value: unknown): value is number {
    return typeof value === "number";
}

/** The constraints of the last update. A state that an earlier version wrote has none. */
function before({ fixed }: Record<string, unknown>): Spread {
    return (fixed as GateFixedFields | undefined)?.spread ?? noSpread;
}

/** Without constraints the input is that of earlier versions. */
function withSpread(fixed: GateFixedFields, spread: Spread): GateFixedFields {
    return spread.revision === "" ? fixed : { ...fixed, spread };
}

/** @param replicas with those that replace dead ones. */
function descriptionOf({ cluster, component }: GateProgramInputs, replicas: number): string {
    return `scale ${memberName(cluster, component)} to ${replicas}`;
}

/** Pulumi deletes it after the member's StatefulSet, and before the gates of the members that it needs. */
export const scaleGate: Gate = {
    ...createGate(scaleGateDefinition),
    delete: (id, props) => untilMemberHasStopped(id, props),
};
