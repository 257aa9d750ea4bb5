import * as pulumi from "@pulumi/pulumi";
import type { GateFixedFields, ProgramInputs } from "../provider/gates/inputs";
import { type GateName, gates, gateTypes } from "../topology/gates";
import { gateProvider } from "./gateProvider";
import { unprotected } from "./protection";

/**
 * Inputs whose change `pulumi preview --diff` names but does not show: words that are reported otherwise, and digests. Where all that
 * differs is hidden, Pulumi shows all inputs, so `planNumber` is not.
 */
const hideDiffs = ["plan", "config", "deferred", "tag", "templateRevision", "pdTemplateRevision"];

/** @internal */
type GateArgs<T> = { [K in keyof Omit<T, "statusUrn" | "gate" | "isPreview">]: pulumi.Input<T[K]> };

/**
 * A gate: a Pulumi resource that checks the live cluster, plans steps, and carries them out when it is safe. Its inputs come
 * from the program and from `check`, which reads the live cluster.
 */
export class Gate extends pulumi.CustomResource {
    /** Descriptions of the steps that are planned or were taken, in order. */
    declare readonly plan: pulumi.Output<string[]>;

    /** @internal */
    constructor(gate: GateName, name: string, args: object, opts: pulumi.CustomResourceOptions) {
        assertNodeRuns(process.versions);
        const { finds = ["replicas", "plan", "deferred"] } = gates[gate];
        const found = Object.fromEntries(finds.map((output) => [output, undefined]));
        const statusUrn = plainUrn(pulumi.createUrn(name, gateTypes[gate], opts.parent));
        // Each preview reports the plan, so its words are not compared with those of the last update.
        const options = { ...opts, ...unprotected, hideDiffs };
        // The line of a component has room for messages: Pulumi begins that of a changed resource with the inputs that differ.
        const lineUrn = opts.parent && plainUrn(opts.parent.urn);
        const isPreview = pulumi.runtime.isDryRun() || undefined;
        const inputs = { ...args, gate, statusUrn, lineUrn, isPreview, ...found, __provider: gateProvider };
        super(gateTypes[gate], name, inputs, options);
    }
}

/** Allows a StatefulSet's new number of replicas once it is safe. See `provider/gates/scaleGate.ts`. */
export interface ScaleGate extends Gate {
    /** Number of replicas that the StatefulSet may have. */
    readonly replicas: pulumi.Output<number>;
    /**
     * What the gate knows of the StatefulSet, with the default `topologySpreadConstraints` that the pod template gets.
     * @internal
     */
    readonly fixed: pulumi.Output<GateFixedFields>;
}

/** Keeps which Job of an attempt may have begun first. See `provider/gates/jobRecord.ts`. */
interface JobRecord extends Gate {
    /** UID of that Job. */
    readonly began: pulumi.Output<string>;
}

/** @internal */
export type GateResource<Name extends GateName> = Name extends "scale"
    ? ScaleGate
    : Name extends "record"
      ? JobRecord
      : Gate;

/**
 * Creates the resource of a gate.
 * @internal
 */
export function newGate<Name extends GateName>(
    gate: Name,
    name: string,
    args: GateArgs<ProgramInputs[Name]>,
    opts: pulumi.CustomResourceOptions,
): GateResource<Name> {
    return new Gate(gate, name, args, opts) as GateResource<Name>;
}

/** @throws Error if Bun runs the program: gates are dynamic resources, which only Pulumi's Node.js runtime serves. */
export function assertNodeRuns({ bun }: Readonly<Record<string, string | undefined>>): void {
    if (bun !== undefined) {
        throw new Error(
            `pulumi-tidb runs on Node.js, and Bun ${bun} runs this program: set \`runtime: nodejs\` in Pulumi.yaml; Bun may still install the packages`,
        );
    }
}

/**
 * @returns the URN as a promise. An Output of the URN depends on the parent component, and so on all its children, including
 * the gate itself: the program would never end.
 * @internal
 */
export function plainUrn(urn: pulumi.Output<string>): Promise<string> {
    return new Promise((resolve) => urn.apply(resolve));
}
