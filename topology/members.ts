/**
 * What is known of each member by both halves of this package: `components/`, which renders it, and `provider/`, which
 * operates it. A new member is a new entry here; every other table is keyed by `Component` and does not compile without it.
 */
const table = {
    tso: { partOf: "pd", needs: ["pd"], suspension: 70, leaving: 70 },
    scheduling: { partOf: "pd", needs: ["pd"], suspension: 80, leaving: 80 },
    pd: { needs: [], suspension: 60, leaving: 90 },
    tiproxy: { needs: [], suspension: 90, leaving: 10 },
    tiflash: { engine: "tiflash", needs: ["pd", "tikv"], suspension: 20, leaving: 40 },
    tikv: { engine: "tikv", needs: ["pd"], suspension: 40, leaving: 60 },
    pump: { usedBy: "tidb", headlessService: "member", needs: ["pd"], suspension: 50, leaving: 50 },
    tidb: { needs: ["pd", "tikv"], suspension: 10, leaving: 20 },
    ticdc: { needs: ["pd", "tikv"], suspension: 30, leaving: 30 },
} as const;

/** A member that this package deploys and gates. Its name is the value of `app.kubernetes.io/component`. */
export type Component = keyof typeof table;

/** A member whose pods are stores of PD's, by the kind of their stores. */
export type Engine = FieldOf<"engine">;

/** A part of PD that runs as a member of its own. */
export type Microservice = { [C in Component]: (typeof table)[C] extends { partOf: "pd" } ? C : never }[Component];

type FieldOf<Field extends string> = {
    [C in Component]: (typeof table)[C] extends Record<Field, infer Value> ? Value : never;
}[Component];

/** What is known of a member. */
export interface MemberTopology {
    /** Members without which it cannot run. */
    readonly needs: readonly Component[];
    /**
     * Its place among members that are suspended in one update, the lowest first (tidb-operator
     * pkg/manager/suspender/suspender.go; TiProxy waits for all others). No two are the same.
     */
    readonly suspension: number;
    /** Its place among members that leave the program in one update, the lowest first: first those that use others. No two are the same. */
    readonly leaving: number;
    /** The kind of its stores in PD. Default: its pods are no stores. */
    readonly engine?: Engine;
    /** The member whose part it is: they share a certificate. Default: it stands by itself. */
    readonly partOf?: Component;
    /** Another member that writes to it where it runs, and must run without it before this one leaves the program. Default: none. */
    readonly usedBy?: Component;
    /** Name of the Service behind which its pods have names: `<cluster>-<member>` for `member`. Default: `<cluster>-<member>-peer`. */
    readonly headlessService?: "member";
}

/** Every member, in the order of a rollout (tidb-operator pkg/controller/tidbcluster/tidb_cluster_control.go). */
export const topology: Readonly<Record<Component, MemberTopology>> = table;

/** Every member, in the order of a rollout. */
export const components = Object.keys(topology) as readonly Component[];

/** The parts of PD that run as members of their own, in the order of a rollout. */
export const microservices = components.filter((one) => topology[one].partOf === "pd") as readonly Microservice[];

/** @returns the kind of a store, by the labels that PD has of it. TiKV's stores do not say it. */
export function engineOf({ engine }: Readonly<Record<string, string>>): Engine {
    return components.map((one) => topology[one].engine).find((one) => one !== undefined && one === engine) ?? "tikv";
}

/** @returns these members in the order in which they are suspended. */
export function inOrderOfSuspension(some: readonly Component[]): Component[] {
    return [...some].sort((one, other) => topology[one].suspension - topology[other].suspension);
}

/** @returns these members in the order in which they leave the program. */
export function inOrderOfLeaving(some: readonly Component[]): Component[] {
    return [...some].sort((one, other) => topology[one].leaving - topology[other].leaving);
}
