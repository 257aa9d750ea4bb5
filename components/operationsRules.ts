import type { ApprovalMode } from "../provider/lifecycle/vocabulary/approvals";
import type { DrainMode } from "../provider/lifecycle/vocabulary/drain";
import type {
    BackupOperationsArgs,
    BeforeUpgradeArgs,
    BudgetMode,
    DuringBackup,
    OnDestroyArgs,
    OperationsArgs,
    PlacementMode,
    RolloutArgs,
    SqlEndpoint,
    TimeoutsArgs,
    VolumesArgs,
} from "./operations";
import { backupProblems } from "./backup/gateBackup";
import { isMap } from "./plainMap";
import { specError, type SpecProblem } from "./problem";
import { shownWithKind } from "./validation/path";
import { isDnsSubdomain } from "./validation/kubernetesNames";
import { volumeSizeProblems } from "./validation/volumeSize";
import { parseQuantity } from "../topology/quantity";
import { boolean, type Check, isWhole, map, seconds, wholeNumber, word } from "./validation/values";

/** Returns an error for each unknown field of `operations` and each invalid value. */
export function operationsProblems(operations: unknown): SpecProblem[] {
    return [...fieldProblems("operations", operations), ...unservedBudgets(operations), ...batchesByStep(operations)];
}

/** PD refuses a larger batch, and moves no more leaders at once than stores can take. */
const windowBounds = map({ leaderScheduleLimit: wholeNumber(1, 1024), batch: wholeNumber(1, 10) });

const eviction: Check = (field, value) => {
    const next = value === true ? "leave it out: it is on by default" : undefined;
    const isTable = value === undefined || isMap(value);
    return value === false
        ? []
        : isTable
          ? windowBounds(field, value)
          : [specError(field, shownWithKind(value), "false or a map", next)];
};

/** No member of one cluster has more pods than that. */
const mostSideBySide = 1000;
const numbers = `a whole number from 1 to ${mostSideBySide}`;
const sideBySide = wholeNumber(1, mostSideBySide, `"zone" or ${numbers}`);
const unavailable = wholeNumber(1, mostSideBySide, `${numbers}, or a text from "1%" to "99%"`);
const isShare = (value: unknown): boolean => typeof value === "string" && /^[1-9]\d?%$/.test(value);

/** A list without two of the same. */
function listOf(isOne: (one: unknown) => boolean, expected: string): Check {
    return (field, list) => {
        const all: readonly unknown[] = Array.isArray(list) ? list : [];
        const found = all.length > 0 ? `[${all.map(shownWithKind).join(", ")}]` : shownWithKind(list);
        return all.length > 0 && all.every(isOne) && new Set(all).size === all.length
            ? []
            : [specError(field, found, expected)];
    };
}

const failedStores = listOf(
    (id) => isWhole(id, 1, Number.MAX_SAFE_INTEGER),
    "a list of different ids of stores, as PD lists them, such as [4, 5]",
);

const nodes = listOf(
    (name) => typeof name === "string" && isDnsSubdomain(name),
    'a list of different names of nodes, such as ["node-3"]',
);

/** Whoever names stores as lost says in the program that they never come back. Nothing that can be looked at proves it. */
const neverComeBack: Check = (field, value) => {
    const next = value === "true" ? "remove the quotes" : "name only stores whose volumes never come back either";
    return value === true ? [] : [specError(field, shownWithKind(value), "true", next)];
};

const unsafeRecovery = withRequired(
    ["failedStores", "neverComeBack"],
    map({ failedStores, neverComeBack, timeoutSeconds: seconds }),
);

/** Required fields are checked where they are left out too. */
function withRequired(names: readonly string[], check: Check): Check {
    const none = Object.fromEntries(names.map((name) => [name, undefined]));
    return (field, value) => check(field, isMap(value) ? { ...none, ...value } : value);
}

/** The fields of a Backup are checked as those of a Backup. */
const backupSpec: Check = (field, spec) =>
    isMap(spec) ? backupProblems(field, spec) : [specError(field, shownWithKind(spec), "a map, as in a Backup")];

const beforeUpgrade = withRequired(
    ["spec"],
    map({
        spec: backupSpec,
        attempt: wholeNumber(1, Number.MAX_SAFE_INTEGER),
        timeoutSeconds: seconds,
    } satisfies Record<keyof BeforeUpgradeArgs, Check>),
);

const onDestroy = withRequired(
    ["spec"],
    map({ spec: backupSpec, timeoutSeconds: seconds } satisfies Record<keyof OnDestroyArgs, Check>),
);

/** @param most the largest share, in percent. */
function share(most: number): Check {
    return (field, value) =>
        value === undefined || (/^[1-9]\d*%$/.test(String(value)) && Number.parseInt(String(value)) <= most)
            ? []
            : [specError(field, shownWithKind(value), `a text from "1%" to "${most}%"`)];
}

const largestVolume: Check = (field, value) =>
    typeof value === "string" && (parseQuantity(value)?.billionths ?? -1n) >= 0n
        ? volumeSizeProblems(field, value)
        : [specError(field, shownWithKind(value), "the largest size of a volume, such as 2Ti")];

const volumes = withRequired(
    ["max"],
    map({ growAt: share(99), by: share(100), max: largestVolume } satisfies Record<keyof VolumesArgs, Check>),
);

const isNone = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0);

const fieldProblems = map({
    timeouts: map({
        podReadySeconds: seconds,
        evictLeaderSeconds: seconds,
        storeRemovalSeconds: seconds,
    } satisfies Record<keyof TimeoutsArgs, Check>),
    allowDowngrade: boolean,
    approval: word(...(["step", "member"] satisfies ApprovalMode[])),
    placement: word(...(["with-changes", "now", "off"] satisfies PlacementMode[])),
    rollout: map({
        online: boolean,
        evictionWindow: eviction,
        parallelism: (field, value) => (value === "zone" ? [] : sideBySide(field, value)),
        maxUnavailable: (field, value) => (isShare(value) ? [] : unavailable(field, value)),
    } satisfies Record<keyof RolloutArgs, Check>),
    failover: map({ enabled: boolean, periodSeconds: seconds }),
    unsafeRecovery,
    lostNodes: (field, value) => (isNone(value) ? [] : nodes(field, value)),
    volumes,
    drain: word(...(["move", "off"] satisfies DrainMode[])),
    disruptionBudgets: word(...(["gates", "off"] satisfies BudgetMode[])),
    backup: map({
        duringBackup: word(...(["wait", "continue"] satisfies DuringBackup[])),
        waitTimeoutSeconds: seconds,
        beforeUpgrade,
        onDestroy,
    } satisfies Record<keyof BackupOperationsArgs, Check>),
    sqlEndpoint: word(...(["tiproxy", "tidb"] satisfies SqlEndpoint[])),
} satisfies Record<keyof OperationsArgs, Check>);

/** Budgets that let nobody but the gates stop a pod, in a cluster whose gates leave it where it is: a drain would never end. */
function unservedBudgets(operations: unknown): SpecProblem[] {
    const isUnserved = isMap(operations) && operations.disruptionBudgets === "gates" && operations.drain === "off";
    const expected =
        '"off" where operations.drain is "off", because then nothing moves the pods that these budgets keep';
    return isUnserved ? [specError("operations.disruptionBudgets", '"gates"', expected)] : [];
}

/** One consent lets one restart through, and a batch is several at once. */
function batchesByStep(operations: unknown): SpecProblem[] {
    const rollout = isMap(operations) && operations.approval === "step" && operations.rollout;
    const expected = '1 where operations.approval is "step", because one consent lets one restart through';
    return (isMap(rollout) ? ["parallelism", "maxUnavailable"] : []).flatMap((name) => {
        const value = (rollout as Record<string, unknown>)[name] ?? 1;
        return value === 1 ? [] : [specError(`operations.rollout.${name}`, shownWithKind(value), expected)];
    });
}
