import type { GatePorts } from "../cluster/ports";
import type { GateFindings, GateProgramInputs, unknownValue } from "./inputs";

/** What every gate is told, whatever it waits for. */
export type CommonInputs = Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "config" | "policy" | "fixed"
>;

export interface CheckResult {
    inputs: Record<string, unknown>;
    failures?: { property: string; reason: string }[];
}

/** A gate as a dynamic resource: how it finds its plan, and how it carries it out. */
export interface GateDefinition<Program extends CommonInputs> {
    /** Replicas that the gate lets through, from the program's inputs alone; unknown where these are. */
    replicasOf(inputs: Program): number | typeof unknownValue;
    /** What the plan is, from the live cluster. `refused` fails the preview. */
    plan(
        inputs: Program,
        ports: GatePorts,
    ): Promise<{ plan: string[]; refused?: { property: string; reason: string } }>;
    /** What is to be done in any case where the API server does not answer. Default: nothing. */
    stepsWhenUnreachable?(why: string): string[];
    /** What is to be said about what the program changed. It comes before the steps, in each plan. */
    notes?(olds: Record<string, unknown>, inputs: Program): { words: string; isWarning: boolean }[];
    /** Carries it out. `first` where the resource is created. */
    effect(inputs: Program & GateFindings, ports: GatePorts, first: boolean): Promise<void>;
}

/** The methods of a dynamic provider; see the shim in `components/gates.ts`. */
export interface Gate {
    check(olds: Record<string, unknown>, news: Record<string, unknown>): Promise<CheckResult>;
    diff(id: string, olds: Record<string, unknown>, news: Record<string, unknown>): Promise<{ changes: boolean }>;
    create(inputs: Record<string, unknown>): Promise<{ id: string; outs: Record<string, unknown> }>;
    update(
        id: string,
        olds: Record<string, unknown>,
        news: Record<string, unknown>,
    ): Promise<{ outs: Record<string, unknown> }>;
    /** What comes before its resource is forgotten. Default: nothing. */
    delete?(id: string, props: Record<string, unknown>): Promise<void>;
}

/** What a plan needs could not be read; the preview says so and never guesses. */
export class Unreadable extends Error {
    override readonly name = "Unreadable";
    constructor(
        message: string,
        /** What is to be done in any case, as far as Kubernetes alone shows it. With a step the gate runs, and waits for PD. */
        readonly steps: string[] = [],
    ) {
        super(message);
    }
}
