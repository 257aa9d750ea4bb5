import * as pulumi from "@pulumi/pulumi";
import type {
    BeforeUpgradeProgramInputs,
    ClusterProgramInputs,
    GateFixedFields,
    GateProgramInputs,
    LostNodesProgramInputs,
    PasswordProgramInputs,
    RecoveryProgramInputs,
    ReadyProgramInputs,
    SettingsProgramInputs,
    SuspendProgramInputs,
} from "../provider/gates/inputs";
import type { JobProgramInputs, JobRecordInputs, ScheduleProgramInputs } from "../provider/gates/jobInputs";
import type { LogBackupProgramInputs } from "../provider/gates/logBackupInputs";
import type { RestoreProgramInputs } from "../provider/gates/restoreInputs";
import { gateProvider } from "./gateProvider";
import { unprotected } from "./protection";

/** Inputs whose change `pulumi preview --diff` names but does not show: words that are reported otherwise, their number, and digests. */
const hideDiffs = ["plan", "planNumber", "config", "deferred"];

/** @internal */
type GateArgs<T> = { [K in keyof Omit<T, "statusUrn" | "gate" | "isPreview">]: pulumi.Input<T[K]> };

/**
 * A gate: a Pulumi resource that checks the live cluster, plans steps, and carries them out when it is safe. Its inputs come
 * from the program and from `check`, which reads the live cluster.
 */
abstract class Gate extends pulumi.CustomResource {
    /** Descriptions of the steps that are planned or were taken, in order. */
    declare readonly plan: pulumi.Output<string[]>;

    /** @internal */
    protected constructor(
        type: string,
        gate: string,
        name: string,
        args: object,
        opts: pulumi.CustomResourceOptions,
        found: object = { replicas: undefined, plan: undefined, deferred: undefined },
    ) {
        assertNodeRuns(process.versions);
        // The types of dynamic resources of the module `tidb`: Pulumi's Node.js runtime serves them.
        const token = `pulumi-nodejs:dynamic/tidb:${type}`;
        const statusUrn = plainUrn(pulumi.createUrn(name, token, opts.parent));
        // Each preview reports the plan, so its words are not compared with those of the last update.
        const options = { ...opts, ...unprotected, hideDiffs };
        const isPreview = pulumi.runtime.isDryRun() || undefined;
        const inputs = { ...args, gate, statusUrn, isPreview, ...found, __provider: gateProvider };
        super(token, name, inputs, options);
    }
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

/** Checks what no other gate checks: the cluster's name and owner, and members that leave the program. See `provider/gates/clusterGate.ts`. */
export class ClusterGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<ClusterProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("ClusterGate", "cluster", name, args, opts);
    }
}

/** Makes PD recover from the loss of stores that held majorities of regions. See `provider/gates/recoveryGate.ts`. */
export class RecoveryGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<RecoveryProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("RecoveryGate", "recovery", name, args, opts);
    }
}

/** Gives up volumes on nodes that are gone. See `provider/gates/lostNodesGate.ts`. */
export class LostNodesGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<LostNodesProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("LostNodesGate", "lost-nodes", name, args, opts);
    }
}

/** Takes a backup before the first step of an upgrade. See `provider/gates/beforeUpgradeGate.ts`. */
export class BeforeUpgradeGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<BeforeUpgradeProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("BeforeUpgradeGate", "before-upgrade", name, args, opts);
    }
}

/** Allows a StatefulSet's new number of replicas once it is safe. See `provider/gates/scaleGate.ts`. */
export class ScaleGate extends Gate {
    /** Number of replicas that the StatefulSet may have. */
    declare readonly replicas: pulumi.Output<number>;
    /**
     * What the gate knows of the StatefulSet, with the default `topologySpreadConstraints` that the pod template gets.
     * @internal
     */
    declare readonly fixed: pulumi.Output<GateFixedFields>;

    /** @internal */
    constructor(name: string, args: GateArgs<GateProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("ScaleGate", "scale", name, args, opts);
    }
}

/** Restarts the pods that run an older revision, each when it is safe. See `provider/gates/rolloutGate.ts`. */
export class RolloutGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<GateProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("RolloutGate", "rollout", name, args, opts);
    }
}

/** Sets settings on running servers, before the ConfigMap says the same. See `provider/gates/settingsGate.ts`. */
export class SettingsGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<SettingsProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("SettingsGate", "settings", name, args, opts);
    }
}

/** Removes the pods of a suspended member. See `provider/gates/suspendGate.ts`. */
export class SuspendGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<SuspendProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("SuspendGate", "suspend", name, args, opts);
    }
}

/** Sets root's initial password once TiDB serves. See `provider/gates/passwordGate.ts`. */
export class PasswordGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<PasswordProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("PasswordGate", "password", name, args, opts);
    }
}

/** Waits until the whole cluster matches the program. See `provider/gates/readyGate.ts`. */
export class ReadyGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<ReadyProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("ReadyGate", "ready", name, args, opts);
    }
}

/** Starts a Job once, and waits for its end. See `provider/gates/jobGate.ts`. */
export class JobGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<JobProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("JobGate", "job", name, args, opts, { plan: undefined, deferred: undefined });
    }
}

/** Keeps which Job of an attempt may have begun first. See `provider/gates/jobRecord.ts`. */
export class JobRecord extends Gate {
    /** UID of that Job. */
    declare readonly began: pulumi.Output<string>;

    /** @internal */
    constructor(name: string, args: GateArgs<JobRecordInputs>, opts: pulumi.CustomResourceOptions) {
        super("JobRecord", "record", name, args, opts, { began: undefined });
    }
}

/** Refuses to restore into a cluster that holds data, unless the program allows it. See `provider/gates/restoreGate.ts`. */
export class RestoreGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<RestoreProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("RestoreGate", "restore", name, args, opts, { plan: undefined, deferred: undefined });
    }
}

/** Starts, pauses, resumes, stops and truncates a log backup, by what PD says of it. See `provider/gates/logBackupGate.ts`. */
export class LogBackupGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<LogBackupProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("LogBackupGate", "logBackup", name, args, opts, { plan: undefined, deferred: undefined });
    }
}

/** Says in a preview which Secrets of a schedule do not exist. See `provider/gates/scheduleGate.ts`. */
export class ScheduleGate extends Gate {
    /** @internal */
    constructor(name: string, args: GateArgs<ScheduleProgramInputs>, opts: pulumi.CustomResourceOptions) {
        super("ScheduleGate", "schedule", name, args, opts, { plan: undefined, deferred: undefined });
    }
}
