import { isMap } from "./plainMap";
import { ManifestError, specError, type SpecProblem } from "./problem";
import { nearest } from "./validation/nearest";
import { shown } from "./validation/path";

/** How the cluster is operated, beside what its spec says. */
export interface OperationsArgs {
    /** How long the gates wait before they fail. */
    timeouts?: TimeoutsArgs;
}

/** How long the gates wait before they fail: whole numbers of seconds, 1 or more. */
export interface TimeoutsArgs {
    /** How long a pod may take to be Ready, and its member or store to be healthy, in seconds. Default: 600. */
    podReadySeconds?: number;
    /**
     * How long a store's leaders may take to leave before a restart, in seconds. Then the update fails and the store
     * stays up; with `spec.tikv.evictLeaderTimeout`, which wins, it is restarted with the leaders it has left.
     * Default: 90000.
     */
    evictLeaderSeconds?: number;
    /** How long a store may take to become Tombstone in a scale-in, in seconds. Default: 86400. */
    storeRemovalSeconds?: number;
}

const fields = ["timeouts"];
const timeouts = ["podReadySeconds", "evictLeaderSeconds", "storeRemovalSeconds"];

/** @throws ManifestError that lists each field of `operations` that does not exist or cannot be used. */
export function checkOperations(operations: unknown, cluster: string): void {
    const problems = operationsProblems(operations);
    if (problems.length > 0) {
        throw new ManifestError(problems, cluster);
    }
}

function operationsProblems(operations: unknown): SpecProblem[] {
    return tableProblems("operations", operations, fields, (field, value) =>
        tableProblems(field, value, timeouts, secondsProblems),
    );
}

function tableProblems(
    path: string,
    table: unknown,
    known: readonly string[],
    check: (field: string, value: unknown) => SpecProblem[],
): SpecProblem[] {
    if (table === undefined) {
        return [];
    }
    if (!isMap(table)) {
        return [specError(path, shown(table), "a map of fields")];
    }
    return Object.entries(table).flatMap(([name, value]) =>
        known.includes(name) ? check(`${path}.${name}`, value) : [unknownField(path, name, known)],
    );
}

function unknownField(path: string, name: string, known: readonly string[]): SpecProblem {
    const near = nearest(name, known);
    const next = near === undefined ? undefined : `did you mean ${near}?`;
    return specError(`${path}.${name}`, "a field that does not exist", known.join(" or "), next);
}

function secondsProblems(field: string, value: unknown): SpecProblem[] {
    return value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)
        ? []
        : [specError(field, shown(value), "a whole number of seconds, 1 or more")];
}
