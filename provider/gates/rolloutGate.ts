import { codeOfPd } from "../lifecycle/vocabulary/waitOrFail";
import { memberName } from "../../topology/names";
import { type ConfigDigests, configNotes, isConfigChanged } from "../lifecycle/configEffects/configChange";
import { givingWay } from "../lifecycle/failover/givingWay";
import { withReplacements } from "../lifecycle/failover/records";
import { nextSettingsMove } from "../lifecycle/settings/nextSettings";
import { sameSetting } from "../lifecycle/settings/sameSetting";
import { undecidedItems } from "../lifecycle/walks/describePlan";
import { clientsNotice } from "../lifecycle/walks/clientsNotice";
import { consentNeeds, ofAllStores, type Unasked, untilAsked } from "../lifecycle/walks/planLooks";
import { leftOpenIn } from "../lifecycle/walks/leftOpen";
import { dueSteps, planRollout, whyOneByOne } from "../lifecycle/walks/planRollout";
import { leftOutRemarks, templateState } from "../lifecycle/walks/wantedTemplate";
import { raiseReplicas } from "../lifecycle/walks/ownReplicas";
import { nextRolloutMove, type RolloutEnd, type RolloutNotes } from "../lifecycle/walks/rollout";
import { dryRollout, isScaledFirst, waitsForStop, withLimitSet, withPdRestarted } from "../lifecycle/dryRun/dryRollout";
import { type Decide, notRun } from "../lifecycle/dryRun/dryRun";
import { certainFailure, planItems } from "../lifecycle/dryRun/holds";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";
import { allSteps, notForeseen } from "../lifecycle/dryRun/planSteps";
import { runDry } from "./runDry";
import type { PlanStep } from "../lifecycle/walks/planStep";
import { refusedRollout } from "../lifecycle/walks/deletedClaims";
import { podsWithDeletedClaims } from "../lifecycle/walks/volumesStay";
import { type LookOptions, noLook } from "../lifecycle/vocabulary/look";
import { defaultPolicy, type MemberTarget } from "../lifecycle/vocabulary/target";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import { revisionParts } from "../lifecycle/vocabulary/spread";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { Settings } from "../lifecycle/vocabulary/settings";
import { runningMeanwhile } from "../lifecycle/stages/runningBackups";
import { planDrain, withDrains } from "./drain";
import { planMemberFailover } from "./failover";
import { estimateOf } from "./estimate";
import { beforeStoresAreDeleted } from "./destroy";
import { createGate } from "./gate";
import { refusalOf } from "./gateError";
import type { GateFindings, GateProgramInputs } from "./inputs";
import {
    glance,
    lookForBoth,
    lookForRollout,
    lookForRolloutPlan,
    lookForSettings,
    lookForScale,
    withSizes,
} from "./looks";
import { runOperation } from "./loop";
import { rolloutWarnings } from "./rolloutWarnings";
import { KubernetesApiError } from "../cluster/apiCall";
import type { GatePorts, PlanPorts } from "../cluster/gatePorts";
import { operationApproval, planToApprove } from "./operationApproval";
import { type Gate, type GateDefinition, Unreadable } from "./gateDefinition";
import { noticesOf } from "../lifecycle/vocabulary/notices";

function targetOf(inputs: GateProgramInputs & Pick<GateFindings, "moves">): MemberTarget {
    const { component, desiredReplicas, templateRevision, version, tag, policy, moves, fixed } = inputs;
    return {
        component,
        replicas: desiredReplicas,
        templateRevision,
        version,
        tag,
        policy,
        claims: fixed.claims,
        ...(moves ? { moves } : {}),
    };
}

/**
 * Comes after a StatefulSet: restarts the pods that run an older revision, one at a time, with the member's conditions
 * before and after each restart, and waits for what the next members need. On a first deployment it only waits for that.
 */
export const rolloutGateDefinition: GateDefinition<GateProgramInputs> = {
    replicasOf: (inputs) => inputs.desiredReplicas,
    notes: (olds, { component, config, templateRevision, settings }) =>
        // A gate created by an earlier version has no configuration to compare with.
        olds.config === undefined || config === undefined
            ? []
            : configNotes(
                  component,
                  olds.config as ConfigDigests,
                  config,
                  olds.templateRevision !== templateRevision,
                  settings && { before: (olds.settings as Settings | undefined) ?? {}, after: settings },
              ).map((note) => ({ is: "note", ...note })),
    plan: async (inputs, ports, olds) => {
        const wanted = { ...targetOf(inputs), ...newsOf(olds, inputs) };
        const atFirst = withDrains(withSizes(glance(inputs.component), inputs.fixed), inputs.drain);
        const first = await ports.look(atFirst);
        // The gate before the StatefulSet shows the steps; here their records are foreseen.
        const failed = await runDry(planMemberFailover(inputs, first, wanted), noLook, ports);
        const { foreseen } = failed;
        const withRecords = (seen: Observation) => (foreseen ? { ...seen, records: foreseen.records } : seen);
        const foreseenPorts: Pick<PlanPorts, "look"> = {
            look: async (options, lag) => withRecords(await ports.look(options, lag)),
        };
        const drained = await runDry(planDrain(withRecords(first), failed.target, atFirst), atFirst, foreseenPorts);
        const { moves } = drained;
        const target: MemberTarget = { ...failed.target, moves };
        const remarks = [
            ...noticesOf("settings-unfinished", ...unfinishedSettings(first, inputs)),
            ...noticesOf("pod-not-moved", ...drained.remarks),
        ];
        // An update without a node that is being emptied reads no node.
        const findings = drained.isDrained ? { moves } : {};
        const warned = (seen: Observation, steps: readonly Pick<PlanStep, "kind" | "target">[]) =>
            rolloutWarnings(seen, target, steps, olds);
        const isOther = templateState(first, target) === "other";
        const decidesByRevision = isOther || first.members[inputs.component]?.statefulSet?.settled === false;
        const isNothingDue = dueSteps(withRecords(first), target).length === 0 && !waitsForStop(first, target);
        if (!isOther && isNothingDue && leftOpenIn(withRecords(first), inputs.component).length === 0) {
            // What to do about a deleted claim depends on what PD has of its data.
            const isClaimDeleted = podsWithDeletedClaims(first, target).length > 0;
            const seen = isClaimDeleted ? await ports.look(lookForRolloutPlan(inputs, decidesByRevision)) : first;
            return { plan: [], remarks, findings, ...warned(seen, []) };
        }
        const restartsPd = await pdRestarts(inputs, ports);
        const before = (seen: Observation) =>
            withLimitSet(restartsPd ? withPdRestarted(seen) : seen, changedPdSettings(olds, inputs));
        const running = (first.members[inputs.component]?.pods.length ?? 0) > 0;
        const plain = withSizes(lookForRolloutPlan(inputs, decidesByRevision), inputs.fixed);
        // What leaves first is run dry, too.
        const whole = isScaledFirst(first, target) ? lookForBoth(plain, lookForScale(inputs.component)) : plain;
        const look = drained.isDrained ? withDrains(whole, inputs.drain) : whole;
        const observation = withRecords(running ? await ports.look(look) : first);
        const due = dueSteps(observation, target);
        if (observation.pdTrouble !== undefined) {
            const sure = dueSteps(first, target).filter(({ kind }) => kind === "restart" || kind === "wait");
            const { warnings } = warned(observation, sure);
            throw new Unreadable(
                codeOfPd(observation.pdTrouble),
                observation.pdTrouble.why,
                undecidedItems(notForeseen(sure, first)),
                findings,
                warnings,
            );
        }
        const deleted = refusedRollout(observation, target, due);
        if (deleted !== undefined) {
            return { plan: [], refused: deleted };
        }
        // Of a member without a StatefulSet only what is due is known.
        const dry = running
            ? await runDry(
                  dryRollout(
                      decider(inputs, { ...wanted, ...(moves ? { moves } : {}) }, "all-well", "always"),
                      observation,
                      target,
                      before,
                  ),
                  look,
                  foreseenPorts,
                  (one) => ofAllStores(one, observation, target),
              )
            : undefined;
        // A failover and a scale-out come before the failure, and may be the way out of it.
        const live = first.members[inputs.component]?.statefulSet?.replicas ?? 0;
        const failure = dry && foreseen === undefined && live >= target.replicas ? certainFailure(dry) : undefined;
        if (failure !== undefined) {
            const { field = inputs.component } = memberLifecycles[inputs.component];
            const refused = { ...refusalOf(failure), property: `spec.${field}` };
            return { plan: [], findings, refused, ...warned(observation, due), foreseen: dry ? [dry] : [] };
        }
        const steps = planRollout(dry ?? notRun(observation), observation, target);
        const all = allSteps(steps);
        const toApprove = planToApprove(inputs, descriptionOf(inputs), { steps: all, target }, observation);
        const timed = await estimateOf(steps, ports, observation, target);
        const noticed = clientsNotice(dry, all, target);
        const oneByOne = dry && whyOneByOne(dry, target);
        remarks.push(
            ...noticesOf("clients-notice", noticed),
            ...noticesOf("one-by-one", oneByOne),
            ...noticesOf("backup-runs", ...runningMeanwhile(observation, all, target)),
            ...noticesOf("pods-left-out", ...leftOutRemarks(observation, target)),
        );
        const plan = [...planItems(timed, dry), ...approvalItems(toApprove, observation)];
        return {
            plan,
            remarks,
            estimate: timed.estimate,
            findings,
            ...warned(observation, all),
            foreseen: dry ? [dry] : [],
        };
    },
    effect: async (inputs, ports, first, olds) => {
        const target = { ...targetOf(inputs), ...newsOf(olds, inputs) };
        const notes = first || mayChangePods(inputs, olds) ? "always" : "with-steps";
        const decide = decider(inputs, target, first ? "available" : "all-well", notes);
        const known = new WeakMap<Observation, Unasked>();
        const leftToDo = (observation: Observation): Unasked => {
            const now = withReplacements(observation, target);
            const left =
                known.get(observation) ??
                untilAsked(dryRollout(decider(inputs, target, "all-well", "always"), observation, now));
            known.set(observation, left);
            return left;
        };
        await runOperation(
            {
                description: descriptionOf(inputs),
                look: {
                    ...withSizes(lookForRollout(inputs.component), inputs.fixed),
                    ...(inputs.moves ? { drains: true } : {}),
                },
                next: (observation, memory) => {
                    const move = decide(observation, memory);
                    return inputs.approval === undefined
                        ? move
                        : consentNeeds(move, () => leftToDo(observation), observation, target);
                },
                approval: operationApproval(inputs, descriptionOf(inputs), (observation) => {
                    const now = withReplacements(observation, target);
                    const steps = allSteps(planRollout(leftToDo(observation).run, observation, now));
                    return { steps, target: withLiveTemplate(observation, now) };
                }),
            },
            ports,
        );
        await confirmSettings(inputs, ports, (olds.settings as Settings | undefined) ?? {});
    },
};

/** @param target as the program asks for it, without replacements. @returns the decider of the update, and of its dry run. */
function decider({ failover }: GateProgramInputs, target: MemberTarget, end: RolloutEnd, notes: RolloutNotes): Decide {
    return (observation, memory) => {
        const now = withReplacements(observation, target);
        const move = raiseReplicas(observation, now, memory) ?? nextRolloutMove(observation, now, memory, end, notes);
        return givingWay(move, observation, target, failover);
    };
}

/**
 * The ConfigMap has the new settings by now. A server that started before it had them, after they were set, gets them again; and
 * so does every server if somebody has taken the settings back since, as a sweep does. The rollout comes first: it may be what
 * makes a server run.
 */
async function confirmSettings(inputs: GateProgramInputs, ports: GatePorts, before: Settings): Promise<void> {
    const { cluster, component, settings, configFiles, policy } = inputs;
    if (settings === undefined || configFiles === undefined) {
        return;
    }
    const changed = Object.keys(settings).filter(
        (key) => Object.hasOwn(before, key) && !sameSetting(before[key], settings[key]),
    );
    if (changed.length === 0 && (await ports.lease())?.records.settings?.[component] === undefined) {
        return;
    }
    const target = { component, settings, policy };
    await runOperation(
        {
            description: `confirm the settings of ${memberName(cluster, component)}`,
            look: lookForSettings({ component, settings, configFiles }),
            next: (observation, memory) => nextSettingsMove(observation, target, memory, { changed }),
        },
        ports,
    );
}

/** Without the option nothing finishes what a killed run has begun. */
function unfinishedSettings({ records }: Observation, { component, settings }: GateProgramInputs): string[] {
    const keys = Object.keys(records.settings?.[component]?.keys ?? {});
    return settings !== undefined || keys.length === 0
        ? []
        : [
              `an earlier run has begun to set ${keys.join(", ")} online, and did not end: run \`pulumi-tidb sweep\`, which takes it back, or set \`operations.rollout.online\` to true for an update, which finishes it`,
          ];
}

function descriptionOf({ cluster, component }: GateProgramInputs): string {
    return `roll out ${memberName(cluster, component)}`;
}

/** Somebody may have changed the template since the update wrote it: nobody has consented to that one. */
function withLiveTemplate({ members }: Observation, target: MemberTarget): MemberTarget {
    const live = members[target.component]?.statefulSet?.templateRevision;
    return { ...target, templateRevision: live ?? target.templateRevision };
}

/** What of the program is new since the last update, for the reasons of restarts. */
function newsOf(
    olds: Record<string, unknown>,
    { config, isNamedOnline, configUpdateStrategy }: GateProgramInputs,
): Pick<MemberTarget, "hasNewConfig" | "isOnlineNew" | "strategyBefore"> {
    const before = olds.configUpdateStrategy as GateProgramInputs["configUpdateStrategy"];
    // A gate created by an earlier version has no configuration to compare with.
    return olds.config === undefined || config === undefined
        ? {}
        : {
              hasNewConfig: isConfigChanged(olds.config as ConfigDigests, config),
              isOnlineNew: isNamedOnline === true && olds.settings === undefined,
              ...(before === configUpdateStrategy ? {} : { strategyBefore: before }),
          };
}

/** Whether the update has steps, or continues one that may have begun them: an interrupted update counts as not done. */
function mayChangePods(inputs: GateProgramInputs & GateFindings, olds: Record<string, unknown>): boolean {
    return inputs.plan.length > 0 || inputs.deferred !== "" || isAnotherTarget(inputs, olds);
}

function isAnotherTarget(inputs: GateProgramInputs, olds: Record<string, unknown>): boolean {
    return inputs.templateRevision !== olds.templateRevision || inputs.desiredReplicas !== olds.desiredReplicas;
}

/** Only words of the plan depend on what is seen, so it is not known if the API server does not say it, and the plan is made without it. */
async function lookForWords(ports: PlanPorts, options: LookOptions): Promise<Fact<Observation>> {
    try {
        return known(await ports.look({ ...options, isForWords: true }), "the API server", ports.now());
    } catch (error) {
        if (!(error instanceof KubernetesApiError)) {
            throw error;
        }
        return notKnown(error.message);
    }
}

/** @returns PD's settings that the program has changed since the last update. The same update sets them before it restarts stores. */
function changedPdSettings(olds: Record<string, unknown>, { pdSettings }: GateProgramInputs): Settings {
    const before = (olds.pdSettings as GateProgramInputs["pdSettings"])?.settings ?? {};
    const changed = Object.entries(pdSettings?.settings ?? {}).filter(
        ([key, value]) => !sameSetting(before[key], value),
    );
    return Object.fromEntries(changed);
}

/** Whether the same update restarts PD's pods before this member's: then PD must settle again. Not known: the plan says nothing of it. */
async function pdRestarts({ pdTemplateRevision }: GateProgramInputs, ports: PlanPorts): Promise<boolean | undefined> {
    if (pdTemplateRevision === undefined) {
        return false;
    }
    const seen = await lookForWords(ports, { ...glance("pd"), revisions: "for-words" });
    if (!seen.known) {
        return undefined;
    }
    const observation = seen.value;
    const live = observation.members.pd?.statefulSet?.templateRevision;
    // Which constraints PD's template gets is up to PD's own gate.
    const isSame = live !== undefined && revisionParts(live).template === pdTemplateRevision;
    const steps = dueSteps(observation, {
        component: "pd",
        replicas: observation.members.pd?.statefulSet?.replicas ?? 0,
        templateRevision: isSame ? live : pdTemplateRevision,
        policy: defaultPolicy,
    });
    return steps.some(({ kind }) => kind === "restart");
}

export const rolloutGate: Gate = {
    ...createGate(rolloutGateDefinition),
    delete: (id, props) => beforeStoresAreDeleted(id, props),
};
