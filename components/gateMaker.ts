import type * as pulumi from "@pulumi/pulumi";
import { type ClusterGateName, gates, placed } from "../topology/gates";
import type { Component } from "../topology/members";
import { gateArgs } from "./gateArgs";
import type { GateContext } from "./gateContext";
import { Gate, type GateResource } from "./gates";
import { extraInputs, type KnownToProgram, inputsOf } from "./gatesOf";
import type { Planned } from "./objects";
import type { OperationsArgs } from "./operations";
import type { RenderedCluster } from "./render";

/** What the gates of a cluster get. */
interface GateSources {
    /** The whole cluster, from which the gates get their inputs. */
    readonly cluster: Planned<RenderedCluster>;
    readonly operations: OperationsArgs | undefined;
    readonly context: GateContext;
    readonly known: { readonly [K in keyof KnownToProgram]: pulumi.Input<KnownToProgram[K]> };
}

/** Creates a gate of one cluster. @returns `undefined` if the cluster does not have it. */
export type MakeGate = <Name extends ClusterGateName>(
    gate: Name,
    opts: pulumi.CustomResourceOptions,
    component?: Component,
    /** Arguments that replace those from the manifest. */
    instead?: Readonly<Record<string, pulumi.Input<unknown>>>,
) => GateResource<Name> | undefined;

/** @returns what creates the gates of a cluster, each by its rows in `topology/gates.ts` and `gatesOf.ts`. @param name of the TidbCluster. */
export function gateMaker(name: string, { cluster, operations, context, known }: GateSources): MakeGate {
    return <Name extends ClusterGateName>(
        gate: Name,
        opts: pulumi.CustomResourceOptions,
        component?: Component,
        instead = {},
    ) => {
        const place = placed(gate, component);
        const outline = inputsOf(place, cluster.outline, operations);
        if (outline === undefined) {
            return undefined;
        }
        const content = cluster.content.apply((rendered) => inputsOf(place, rendered as RenderedCluster, operations));
        const args = {
            ...context,
            ...(gates[gate].actsWhilePaused ? { paused: undefined } : {}),
            ...gateArgs({ outline, content: content as pulumi.Output<object> }),
            ...extraInputs(gate, known),
            ...instead,
        };
        return new Gate(gate, `${name}-${place.name}`, args, opts) as GateResource<Name>;
    };
}
