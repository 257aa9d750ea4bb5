import * as pulumi from "@pulumi/pulumi";
import type {
    ClusterProgramInputs,
    GateProgramInputs,
    PasswordProgramInputs,
    ReadyProgramInputs,
    SuspendProgramInputs,
} from "../provider/gates/inputs";

/* eslint-disable @typescript-eslint/no-require-imports -- a provider is serialized into the state: only a call of
   require inside each method keeps it short and lets an upgrade of the package upgrade its logic. */
/**
 * The dynamic provider behind all gates. Nothing but calls: its text is stored in the state of every stack, and a test
 * pins it. What the calls lead to is in `provider/gates`.
 *
 * @public for that test, which loads this file by itself
 */
export const gateProvider: pulumi.dynamic.ResourceProvider = {
    check: (olds, news) => require("pulumi-tidb/provider/gates").check(olds, news),
    diff: (id, olds, news) => require("pulumi-tidb/provider/gates").diff(id, olds, news),
    create: (inputs) => require("pulumi-tidb/provider/gates").create(inputs),
    update: (id, olds, news) => require("pulumi-tidb/provider/gates").update(id, olds, news),
    delete: (id, props) => require("pulumi-tidb/provider/gates").delete_(id, props),
};
/* eslint-enable @typescript-eslint/no-require-imports */

type GateArgs<T> = { [K in keyof Omit<T, "statusUrn" | "gate">]: pulumi.Input<T[K]> };

/** A gate as a resource. Its inputs are told by the program, and by `check`, which reads the live cluster. */
abstract class Gate<T> extends pulumi.dynamic.Resource {
    /** The steps that were taken or are to be taken, in words, in order. */
    declare readonly plan: pulumi.Output<string[]>;

    protected constructor(
        type: string,
        gate: string,
        name: string,
        args: GateArgs<T>,
        opts: pulumi.CustomResourceOptions,
    ) {
        const statusUrn = plainUrn(pulumi.createUrn(name, `pulumi-nodejs:dynamic/tidb:${type}`, opts.parent));
        const found = { replicas: undefined, plan: undefined, deferred: undefined };
        super(gateProvider, name, { ...args, gate, statusUrn, ...found }, opts, "tidb", type);
    }
}

/**
 * @returns the URN as a promise. As an Output it depends on the parent component, hence on all its children, hence on the
 * gate itself: the program would wait for ever.
 */
export function plainUrn(urn: pulumi.Output<string>): Promise<string> {
    return new Promise((resolve) => urn.apply(resolve));
}

/** Keeps what passes no other gate: the cluster's names, its owner, members that leave. See `provider/gates/clusterGate.ts`. */
export class ClusterGate extends Gate<ClusterProgramInputs> {
    constructor(name: string, args: GateArgs<ClusterProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("ClusterGate", "cluster", name, args, opts);
    }
}

/** Lets a StatefulSet's new number of replicas through once that is safe. See `provider/gates/scaleGate.ts`. */
export class ScaleGate extends Gate<GateProgramInputs> {
    /** The number of replicas that the StatefulSet may have. */
    declare readonly replicas: pulumi.Output<number>;

    constructor(name: string, args: GateArgs<GateProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("ScaleGate", "scale", name, args, opts);
    }
}

/** Restarts the pods of an older revision, each when that is safe. See `provider/gates/rolloutGate.ts`. */
export class RolloutGate extends Gate<GateProgramInputs> {
    constructor(name: string, args: GateArgs<GateProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("RolloutGate", "rollout", name, args, opts);
    }
}

/** Takes down the pods of a member that is suspended. See `provider/gates/suspendGate.ts`. */
export class SuspendGate extends Gate<SuspendProgramInputs> {
    constructor(name: string, args: GateArgs<SuspendProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("SuspendGate", "suspend", name, args, opts);
    }
}

/** Gives root its first password, once TiDB serves. See `provider/gates/passwordGate.ts`. */
export class PasswordGate extends Gate<PasswordProgramInputs> {
    constructor(name: string, args: GateArgs<PasswordProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("PasswordGate", "password", name, args, opts);
    }
}

/** Waits until the whole cluster is as it was asked for. See `provider/gates/readyGate.ts`. */
export class ReadyGate extends Gate<ReadyProgramInputs> {
    constructor(name: string, args: GateArgs<ReadyProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("ReadyGate", "ready", name, args, opts);
    }
}
