/**
 * The facts about each member that both halves of this package need: `components/`, which renders members, and
 * `provider/`, which operates them. Add a new member here first: the tables that every member needs are keyed by `Component`
 * and do not compile without an entry for it. CONTRIBUTING.md lists them, and what else a new member may need.
 */
const table = {
    tso: { title: "TSO", partOf: "pd", needs: ["pd"], suspension: 70, leaving: 70 },
    scheduling: { title: "scheduling", partOf: "pd", needs: ["pd"], suspension: 80, leaving: 80 },
    pd: {
        title: "PD",
        hasReclaimPolicy: true,
        keepsLock: true,
        atOnce: "parallelism",
        waitsForBackups: true,
        needs: [],
        suspension: 60,
        leaving: 90,
    },
    tiproxy: {
        title: "TiProxy",
        ownReleases: true,
        atOnce: "maxUnavailable",
        needs: [],
        suspension: 90,
        leaving: 10,
    },
    tiflash: {
        title: "TiFlash",
        hasReclaimPolicy: true,
        engine: "tiflash",
        inRecovery: "restored-last",
        atOnce: "parallelism",
        needs: ["pd", "tikv"],
        suspension: 20,
        leaving: 40,
    },
    tikv: {
        title: "TiKV",
        hasReclaimPolicy: true,
        engine: "tikv",
        inRecovery: "restored",
        hasLeaders: true,
        atOnce: "parallelism",
        waitsForBackups: true,
        needs: ["pd"],
        suspension: 40,
        leaving: 60,
    },
    pump: {
        title: "Pump",
        hasReclaimPolicy: true,
        usedBy: "tidb",
        headlessService: "member",
        needs: ["pd"],
        suspension: 50,
        leaving: 50,
    },
    tidb: {
        title: "TiDB",
        hasReclaimPolicy: true,
        hasServerLabels: true,
        atOnce: "maxUnavailable",
        inRecovery: "held",
        needs: ["pd", "tikv"],
        suspension: 10,
        leaving: 20,
    },
    ticdc: { title: "TiCDC", inRecovery: "held", needs: ["pd", "tikv"], suspension: 30, leaving: 30 },
} as const;

// Through a function, the package's declarations list the names and do not repeat the table.
const namesOf = <Name extends string>(of: Readonly<Record<Name, unknown>>): Name[] => Object.keys(of) as Name[];
const names = namesOf(table);

/** A member that this package deploys and gates. Its name is the value of `app.kubernetes.io/component`. */
export type Component = (typeof names)[number];

/** The kind of a PD store: the member whose pods are stores of this kind. */
export type Engine = FieldOf<"engine">;

/** A part of PD that runs as a separate member. */
export type Microservice = { [C in Component]: (typeof table)[C] extends { partOf: "pd" } ? C : never }[Component];

type FieldOf<Field extends string> = {
    [C in Component]: (typeof table)[C] extends Record<Field, infer Value> ? Value : never;
}[Component];

/** The facts about one member. */
export interface MemberTopology {
    /** Its name in texts. */
    readonly title: string;
    /** Members without which it fails, so they are not suspended while it runs. TiProxy only waits for others. */
    readonly needs: readonly Component[];
    /**
     * Its position among members that are suspended in one update, lowest first (tidb-operator
     * pkg/manager/suspender/suspender.go; TiProxy waits for all others). Unique.
     */
    readonly suspension: number;
    /**
     * Its position among members that leave the program in one update, lowest first. Members that use others come
     * first. Unique.
     */
    readonly leaving: number;
    /** The kind of its stores in PD. Default: its pods are not stores. */
    readonly engine?: Engine;
    /** Whether its volumes get `spec.pvReclaimPolicy` (tidb-operator pkg/manager/meta/reclaim_policy_manager.go). Default: false. */
    readonly hasReclaimPolicy?: boolean;
    /** Whether its servers have labels of their own, by which they prefer replicas near them. Default: false. */
    readonly hasServerLabels?: boolean;
    /** Whether its stores have leaders of regions, so all data of the cluster. Default: false. */
    readonly hasLeaders?: boolean;
    /** The setting of `operations.rollout` that says how many of its pods may restart side by side. Default: one at a time. */
    readonly atOnce?: "parallelism" | "maxUnavailable";
    /**
     * What `spec.recoveryMode` does with it. `held`: it is not deployed. `restored`: it starts on restored volumes, and once more when the
     * mode ends. `restored-last`: it does once PD's mark is gone. Default: nothing.
     */
    readonly inRecovery?: "held" | "restored" | "restored-last";
    /** Whether restarts and removals of its pods wait while a backup runs (`operations.backup.duringBackup`). Default: false. */
    readonly waitsForBackups?: boolean;
    /** The member that it is a part of, and shares a certificate with. Default: none. */
    readonly partOf?: Component;
    /**
     * Another member that writes to it if deployed, and that must run without it before it may leave the program.
     * Default: none.
     */
    readonly usedBy?: Component;
    /**
     * Whether it is released apart from TiDB, with version numbers of its own. It then keeps no data of the cluster, and
     * may go back to an earlier version. Default: false.
     */
    readonly ownReleases?: boolean;
    /**
     * Whether its pods keep the lock of the PD (`provider/cluster/pdLock.ts`): a run that ends them cannot release that
     * lock, which then expires by itself. Default: false.
     */
    readonly keepsLock?: boolean;
    /**
     * The Service that gives its pods DNS names: `<cluster>-<member>` for `member`. Default: `<cluster>-<member>-peer`.
     */
    readonly headlessService?: "member";
}

/** Every member, in the order of a rollout (tidb-operator pkg/controller/tidbcluster/tidb_cluster_control.go). */
export const topology: Readonly<Record<Component, MemberTopology>> = table;

/** Every member, in the order of a rollout. */
export const components: readonly Component[] = names;

/** The parts of PD that run as separate members, in the order of a rollout. */
export const microservices = components.filter((one) => topology[one].partOf === "pd") as readonly Microservice[];

/** @returns the kind of a store, from its labels in PD. TiKV's stores have no such label. */
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
