import type { MemberRisk } from "../lifecycle/walks/warnedRisks";
import type { KubernetesApiError } from "../cluster/apiCall";
import type { GatePorts, PlanPorts } from "../cluster/gatePorts";
import type { DryRun } from "../lifecycle/dryRun/dryRun";
import type { Estimate } from "../lifecycle/estimates/expectedTime";
import type { PlanItem } from "../lifecycle/walks/describePlan";
import type { Notice } from "../lifecycle/vocabulary/notices";
import type { Refusal } from "../lifecycle/vocabulary/ownership";
import type { ProblemCode } from "../lifecycle/vocabulary/problemCodes";
import type { GateFindings, GateProgramInputs, unknownValue } from "./inputs";

/** The inputs that every gate gets. */
export type CommonInputs = Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "tag" | "config" | "policy" | "fixed"
>;

export interface CheckResult {
    inputs: Record<string, unknown>;
    /**
     * Why the preview and the update fail. The property is empty, and the reason names the field of the user's program: Pulumi
     * would look the property up in the gate's inputs and show its value, such as `{map[kubeconfig:{/etc/kubeconfig}]}`.
     */
    failures?: { property: ""; reason: string }[];
}

/** What a gate found, as data. */
export interface GateReport extends Pick<CheckResult, "inputs"> {
    /** The plan. `inputs.plan` has the same in words. */
    plan: PlanItem[];
    /** Why the preview and the update fail. Default: they do not. */
    refused?: readonly Refusal[];
    /** Messages for the user that do not fail the preview. */
    warnings: readonly Notice[];
    /** What the user should know of the live cluster although nothing follows from it. Only previews and plans show them. Default: nothing. */
    remarks?: readonly Notice[];
    /** Why there is no exact plan; `inputs.deferred` has the same in words. Default: there is one. */
    deferral?: Notice;
    /** What these messages put at risk in the plan of the cluster, in short. Default: nothing. */
    risks?: readonly string[];
    /** The same of single members. Default: nothing. */
    memberRisks?: readonly MemberRisk[];
    /** How long the steps are expected to take by the cluster's own records, or why nobody can say. Default: they are not estimated. */
    estimate?: Estimate;
    /**
     * Why the live cluster could not be read, where the program did not change: the gate then has no step and no reason for a
     * deferral, but nothing is known about it. Default: it was read, or `inputs.deferred` says why not.
     */
    unread?: Notice;
    /** The failure, if the API server gave no answer, the plan is deferred, and no gate before this one has warned of it. */
    silence?: KubernetesApiError;
    /** As in a plan. Default: false. */
    replicasHeld?: true;
    /** The dry runs of the update. Default: none was made, because nothing is to do or the cluster could not be asked. */
    foreseen?: readonly DryRun[];
}

/** What differs from gate to gate: how it plans, and how it carries out the plan. */
export interface GateDefinition<Program extends CommonInputs> {
    /**
     * Replicas that the gate lets through as far as the program's inputs tell; unknown if these are unknown. A plan may say otherwise.
     * @param olds the inputs of the last update; empty if there was none.
     */
    replicasOf(inputs: Program, olds: Record<string, unknown>): number | typeof unknownValue;
    /** Reads how many replicas the gate lets through once its steps are taken. Default: what the plan said. */
    replicasAfter?(inputs: Program & GateFindings, ports: PlanPorts): Promise<number>;
    /**
     * Plans from the live cluster. `refused` fails the preview; `findings` are added to the gate's inputs.
     * @param olds the inputs of the last update; empty if there was none.
     */
    plan(
        inputs: Program,
        ports: PlanPorts,
        olds: Record<string, unknown>,
    ): Promise<{
        plan: PlanItem[];
        /** What the update may fail at, or cannot do. Default: nothing. */
        warnings?: readonly Notice[];
        /** What these warnings put at risk, in short. Default: nothing. */
        memberRisks?: readonly MemberRisk[];
        refused?: Refusal | readonly Refusal[];
        remarks?: readonly Notice[];
        /** How long the steps are expected to take. Default: this gate's steps are not estimated. */
        estimate?: Estimate;
        /** Replicas that the gate will let through. Default: `replicasOf`. */
        replicas?: number;
        /**
         * Whether the live number belongs to another field manager and differs, so Kubernetes refuses this one from Pulumi until the gate's
         * steps are taken. A preview takes none, so it does not know the number: its dry run would end in a conflict. Default: false.
         */
        replicasHeld?: true;
        findings?: Record<string, unknown>;
        /** What the update would do. Default: nothing is foreseen. */
        foreseen?: readonly DryRun[];
    }>;
    /** What else `check` adds to the inputs while the live cluster is not known. `plan` and `Unreadable` replace it. Default: nothing. */
    assumed?(inputs: Program, olds: Record<string, unknown>): Record<string, unknown>;
    /** Steps to take in any case when the API server does not answer. Default: none. */
    stepsWhenUnreachable?(): PlanItem[];
    /** Notes about what the program changed. They come before the steps in each plan. */
    notes?(olds: Record<string, unknown>, inputs: Program): Extract<PlanItem, { is: "note" }>[];
    /**
     * Records, once an update pauses the cluster, that it is paused. A paused gate does nothing else. Default: nothing is recorded.
     */
    notePause?(ports: Pick<GatePorts, "notePause">): Promise<void>;
    /** Whether it is the last gate of its cluster, which sums up the plans of all of them. Default: false. */
    isLast?: true;
    /**
     * Carries out the plan. `first` is true when the resource is created.
     * @param olds the inputs of the last update; empty if the resource is created.
     */
    effect(
        inputs: Program & GateFindings,
        ports: GatePorts,
        first: boolean,
        olds: Record<string, unknown>,
    ): Promise<void>;
}

/** The methods of a dynamic provider; see the shim in `components/gates.ts`. */
export interface Gate {
    /** Plans from the live cluster, as data, without a message to Pulumi. `check` is built on it. */
    planOf(olds: Record<string, unknown>, news: Record<string, unknown>): Promise<GateReport>;
    /** Plans, and reports the plan in a preview. @param isPreview default: false */
    check(olds: Record<string, unknown>, news: Record<string, unknown>, isPreview?: boolean): Promise<CheckResult>;
    diff(id: string, olds: Record<string, unknown>, news: Record<string, unknown>): Promise<{ changes: boolean }>;
    create(inputs: Record<string, unknown>): Promise<{ id: string; outs: Record<string, unknown> }>;
    update(
        id: string,
        olds: Record<string, unknown>,
        news: Record<string, unknown>,
    ): Promise<{ outs: Record<string, unknown> }>;
    /** Runs before the resource is removed from the state. Default: nothing. */
    delete?(id: string, props: Record<string, unknown>): Promise<void>;
}

/** Something that a plan needs could not be read. The preview reports it and never guesses. */
export class Unreadable extends Error {
    override readonly name = "Unreadable";
    constructor(
        /** What the update would wait for, or fail with. */
        readonly code: ProblemCode,
        message: string,
        /** Steps to take in any case, as far as Kubernetes alone shows them. If there is one, the gate runs and waits for PD. */
        readonly steps: PlanItem[] = [],
        /** What was found nevertheless, for the gate's inputs. */
        readonly findings: Record<string, unknown> = {},
        /** What the user should know nevertheless. */
        readonly warnings: readonly Notice[] = [],
        /** As in a plan. */
        readonly replicasHeld: boolean = false,
    ) {
        super(message);
    }
}
