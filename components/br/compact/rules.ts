import { timestampForms, tsoOf } from "../../../topology/timestamps";
import { specError, type SpecProblem } from "../../problem";
import { shown } from "../../validation/path";
import type { CompactBackupSpec } from "./spec";

/** Checks which part of a log is compacted (tidb-operator pkg/controller/compactbackup, validate). */
export function compactRuleProblems({ startTs, endTs }: CompactBackupSpec): SpecProblem[] {
    const [from, until] = [tsoOf(startTs), tsoOf(endTs)];
    if (from === undefined || until === undefined) {
        return Object.entries({ startTs, endTs }).flatMap(([field, time]) =>
            tsoOf(time) === undefined ? [specError(`spec.${field}`, shown(time), timestampForms)] : [],
        );
    }
    return from < until ? [] : [specError("spec.endTs", shown(endTs), "a time after startTs")];
}
