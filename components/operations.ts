import type { ApprovalMode } from "../provider/lifecycle/vocabulary/approvals";
import type { DrainMode } from "../provider/lifecycle/vocabulary/drain";
import { isMap } from "./plainMap";
import { specError, type SpecProblem } from "./problem";
import { shownWithKind } from "./validation/path";
import { unknownFields } from "./validation/unknownField";

/** Settings for the operation of the cluster that are not part of its spec. */
export interface OperationsArgs {
    /** How long the gates wait before they fail. Default: the default of each timeout. */
    timeouts?: TimeoutsArgs;
    /**
     * Whether members may go back to an earlier major or minor version. TiDB does not support this
     * (https://docs.pingcap.com/tidb/stable/upgrade-tidb-using-tiup), so the preview refuses it unless this is true. Set it
     * only for a cluster whose data you can lose, and remove it afterwards. Default: false.
     */
    allowDowngrade?: boolean;
    /**
     * How much of an update each `pulumi-tidb approve` lets through: `step`, one step, or `member`, one member's steps. The
     * preview shows the command with the digest of the plan; a plan that has changed since then needs a new consent. Default:
     * nothing needs consent.
     */
    approval?: ApprovalMode;
    /**
     * When the pods of PD, TiKV and TiFlash get the `topologySpreadConstraints` that keep a lost node from taking too many of them.
     * `with-changes`: a new member gets them at once, and a deployed one when its pod template changes for another reason and its
     * pods already are where the constraints allow them. `now`: a deployed member gets those for its number of replicas in this
     * update, which restarts its pods. `off`: none; where a deployed member has them, they are removed, which restarts its pods. A
     * member whose spec, or whose cluster's spec, sets `affinity` or `topologySpreadConstraints` never gets them. Default:
     * `with-changes`.
     */
    placement?: PlacementMode;
    /** How changes are rolled out. Default: the default of each field. */
    rollout?: RolloutArgs;
    /**
     * How dead members are replaced: PD, TiKV, TiFlash and TiDB. `spec.<member>.maxFailoverCount` says how many replacements there may
     * be. Default: the default of each field.
     */
    failover?: FailoverArgs;
    /**
     * What gates do about a pod on a node that is being emptied: one that is cordoned, or about to be removed by an autoscaler or a
     * cloud. `move`: it leaves as in a restart, leaders first and one pod at a time, if another node takes it. `off`: nothing; a drain
     * takes it without asking PD. Default: `move`.
     */
    drain?: DrainMode;
    /**
     * Which PodDisruptionBudgets the cluster gets. `gates`: one for each member, which allows a drain no more than the gates would:
     * one pod at a time of TiDB and TiProxy, and none of the others, of which the gates ask something before they stop a pod. Then only
     * gates and the controller move those pods. `off`: none; remove your own before you set `gates`,
     * because Kubernetes evicts no pod that has two. Default: `off`.
     */
    disruptionBudgets?: BudgetMode;
}

/** Which PodDisruptionBudgets a cluster gets. */
export type BudgetMode = "gates" | "off";

/** How dead members are replaced. */
export interface FailoverArgs {
    /** Whether dead members are replaced. Replacements that are there already stay in any case. Default: true. */
    enabled?: boolean;
    /**
     * How long PD and Kubernetes must both see a member as dead before it is replaced, in whole seconds, at least 1. For a store: after
     * PD calls it Down, which PD does after `schedule.max-store-down-time` (30 minutes by default). Default: 300.
     */
    periodSeconds?: number;
}

/** When pods get the default `topologySpreadConstraints`. */
export type PlacementMode = "with-changes" | "now" | "off";

/** How changes are rolled out. */
export interface RolloutArgs {
    /**
     * Whether changed settings of TiKV, PD and TiDB that take effect at once are set on the running servers, without a restart:
     * on each TiKV and TiDB through its status port, in PD through its API, and, if the program creates root's password
     * (`spec.tidb.initializer.createPassword`), in each TiDB over SQL. Each is read back, then written to the ConfigMap; a run
     * that fails takes back what it set. The rest of the configuration changes as `configUpdateStrategy` says. With `RollingUpdate`,
     * the names of the ConfigMaps no longer depend on these settings: the first update with this option restarts the pods of a
     * member that has such settings in its configuration. Default: false.
     */
    online?: boolean;
}

/** How long the gates wait before they fail, in whole seconds, at least 1. */
export interface TimeoutsArgs {
    /** How long a gate waits for a pod to be Ready, and for its member or store to be healthy, in seconds. Default: 600. */
    podReadySeconds?: number;
    /**
     * How long a gate waits for a store's leaders to be evicted before a restart, in seconds. After that the update fails
     * and the store is not restarted. `spec.tikv.evictLeaderTimeout` takes precedence; with it, the store is restarted with
     * the leaders that remain. Default: 90000.
     */
    evictLeaderSeconds?: number;
    /** How long a gate waits for a store to become Tombstone in a scale-in, in seconds. Default: 86400. */
    storeRemovalSeconds?: number;
}

const fields = [
    "timeouts",
    "allowDowngrade",
    "approval",
    "placement",
    "rollout",
    "failover",
    "drain",
    "disruptionBudgets",
];
const words: Readonly<Record<string, readonly string[]>> = {
    "operations.approval": ["step", "member"] satisfies ApprovalMode[],
    "operations.placement": ["with-changes", "now", "off"] satisfies PlacementMode[],
    "operations.drain": ["move", "off"] satisfies DrainMode[],
    "operations.disruptionBudgets": ["gates", "off"] satisfies BudgetMode[],
};
/** A timeout beyond a year is a mistake, and a much longer one has no date at which it ends. */
const longestSeconds = 31_536_000;
const timeouts = ["podReadySeconds", "evictLeaderSeconds", "storeRemovalSeconds"];

/** Returns an error for each unknown field of `operations` and each invalid value. */
export function operationsProblems(operations: unknown): SpecProblem[] {
    return tableProblems("operations", operations, fields, (field, value) =>
        field === "operations.timeouts"
            ? tableProblems(field, value, timeouts, secondsProblems)
            : field === "operations.rollout"
              ? tableProblems(field, value, ["online"], booleanProblems)
              : field === "operations.failover"
                ? tableProblems(field, value, ["enabled", "periodSeconds"], (name, one) =>
                      name.endsWith(".enabled") ? booleanProblems(name, one) : secondsProblems(name, one),
                  )
                : Object.hasOwn(words, field)
                  ? wordProblems(field, value)
                  : booleanProblems(field, value),
    );
}

function tableProblems(
    path: string,
    table: unknown,
    known: readonly string[],
    check: (field: string, value: unknown) => SpecProblem[],
): SpecProblem[] {
    if (table === undefined || table === null) {
        return [];
    }
    if (!isMap(table)) {
        return [specError(path, shownWithKind(table), "a map")];
    }
    const values = Object.entries(table).filter(([name]) => known.includes(name));
    return [
        ...unknownFields(path, table, known),
        ...values.flatMap(([name, value]) => check(`${path}.${name}`, value)),
    ];
}

function booleanProblems(field: string, value: unknown): SpecProblem[] {
    if (value === undefined || typeof value === "boolean") {
        return [];
    }
    const next = value === "true" || value === "false" ? "remove the quotes" : undefined;
    return [specError(field, shownWithKind(value), "true or false", next)];
}

function wordProblems(field: string, value: unknown): SpecProblem[] {
    const allowed = words[field];
    return value === undefined || allowed.includes(value as string)
        ? []
        : [specError(field, shownWithKind(value), allowed.map((word) => JSON.stringify(word)).join(" or "))];
}

function secondsProblems(field: string, value: unknown): SpecProblem[] {
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= longestSeconds)) {
        return [];
    }
    const next = typeof value === "string" && /^[1-9]\d*$/.test(value) ? "remove the quotes" : undefined;
    return [
        specError(field, shownWithKind(value), `a whole number of seconds from 1 to ${longestSeconds} (a year)`, next),
    ];
}
