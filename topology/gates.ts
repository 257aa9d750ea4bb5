import type { Component } from "./members";

/**
 * The facts about each gate that all layers need: `components/`, which makes its resource, `provider/`, which carries it out, and
 * `testing/`, which mocks it. Add a new gate here first: `provider/gates/gates.ts`, which has its definition, and
 * `components/gatesOf.ts`, which says when a cluster has it and what it gets, do not compile without a row for it. The rows are in the
 * order in which Pulumi checks the gates.
 */
const table = {
    cluster: { type: "ClusterGate", place: "first", gets: ["owner", "deployed", "prerequisites"] },
    recovery: { type: "RecoveryGate", place: "before members" },
    "lost-nodes": { type: "LostNodesGate", place: "before members" },
    "before-upgrade": { type: "BeforeUpgradeGate", place: "before members" },
    settings: { type: "SettingsGate", place: "member" },
    scale: { type: "ScaleGate", place: "member" },
    rollout: { type: "RolloutGate", place: "member" },
    suspend: { type: "SuspendGate", place: "member", gets: ["isProtected"], actsWhilePaused: true },
    password: { type: "PasswordGate", place: "after members", member: "tidb" },
    ready: { type: "ReadyGate", place: "last", gets: ["owner"] },
    job: { type: "JobGate", place: "apart", finds: ["plan", "deferred"] },
    record: { type: "JobRecord", place: "apart", finds: ["began"] },
    restore: { type: "RestoreGate", place: "apart", finds: ["plan", "deferred"] },
    logBackup: { type: "LogBackupGate", place: "apart", finds: ["plan", "deferred"] },
    schedule: { type: "ScheduleGate", place: "apart", finds: ["plan", "deferred"] },
} as const;

/** A gate. Its name is the input `gate` of its resource, by which the provider finds it, so it must never change. */
export type GateName = keyof typeof table;

/** The gates at a place. */
type GateAt<Place extends GateRow["place"]> = {
    [Name in GateName]: (typeof table)[Name]["place"] extends Place ? Name : never;
}[GateName];

/** A gate of a TidbCluster. */
export type ClusterGateName = Exclude<GateName, GateAt<"apart">>;

/** The inputs that a gate gets in addition to those from the manifest. */
export type ExtraInput<Name extends GateName> = (typeof table)[Name] extends {
    gets: readonly (infer Input extends string)[];
}
    ? Input
    : never;

/** The facts about one gate. */
export interface GateRow {
    /** Name of its Pulumi type. It is part of the URN and must never change. */
    readonly type: string;
    /** Where it is: before, among or after the members of a TidbCluster, or `apart`, as one of a Job. */
    readonly place: "first" | "before members" | "member" | "after members" | "last" | "apart";
    /** The member to which a gate after all members belongs. */
    readonly member?: Component;
    /** The inputs that it gets in addition to those from the manifest. Default: none. */
    readonly gets?: readonly string[];
    /** The outputs that `check` finds. Default: `replicas`, `plan` and `deferred`. */
    readonly finds?: readonly string[];
    /** Whether it acts in a paused cluster, as in tidb-operator. Default: false. */
    readonly actsWhilePaused?: true;
}

/** The gates, by name. */
export const gates: Readonly<Record<GateName, GateRow>> = table;

const names = Object.keys(table) as GateName[];

/** The Pulumi types of the gates. Pulumi's Node.js runtime serves dynamic resources of the module `tidb`. */
export const gateTypes = Object.fromEntries(
    names.map((name) => [name, `pulumi-nodejs:tidb:${gates[name].type}`]),
) as Readonly<Record<GateName, string>>;

/** A gate of one cluster. */
export interface PlacedGate {
    readonly gate: ClusterGateName;
    /** The member that it is for; undefined for a gate of the whole cluster. */
    readonly component?: Component;
    /** The end of the resource's name, after the TidbCluster's: `tikv-rollout`. */
    readonly name: string;
}

/** @returns the gates at a place. */
export function gatesAt<Place extends GateRow["place"]>(place: Place): GateAt<Place>[] {
    return names.filter((name): name is GateAt<Place> => gates[name].place === place);
}

/** @returns where a gate is in a cluster. @param component of the member that it is for. */
export function placed(gate: ClusterGateName, component = gates[gate].member): PlacedGate {
    return { gate, component, name: component === undefined ? gate : `${component}-${gate}` };
}

/** @returns the gates that a cluster with these members can have, in the order in which Pulumi checks them. */
export function possibleGates(members: readonly Component[]): PlacedGate[] {
    return [
        ...[...gatesAt("first"), ...gatesAt("before members")].map((gate) => placed(gate)),
        ...members.flatMap((component) => gatesAt("member").map((gate) => placed(gate, component))),
        ...[...gatesAt("after members"), ...gatesAt("last")].map((gate) => placed(gate)),
    ];
}
