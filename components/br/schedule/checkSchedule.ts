import type { ManifestMetadata } from "../../manifestMetadata";
import { isMap } from "../../plainMap";
import { ManifestError, specError } from "../../problem";
import { shownWithKind } from "../../validation/path";
import { plainCopy } from "../../validation/plainCopy";
import { apiVersion, apiVersionProblems, checkBr, checkedMetadata, fieldsWithin, sourceOf } from "../checkBr";
import type { BackupManifest, BackupSpec } from "../spec";
import { problemsAt } from "../specAt";
import { isSqlSpec } from "../sql/spec";
import { refusedSchedulePaths, refusedScheduleProblems, scheduleRuleProblems } from "./rules";
import type { BackupScheduleManifest } from "./spec";

const kind = "BackupSchedule";
const template = "spec.backupTemplate";

/** @returns whether a value has the kind of a BackupSchedule. */
export function isScheduleManifest(value: unknown): value is Record<string, unknown> & { kind: typeof kind } {
    return isMap(value) && value.kind === kind;
}

/**
 * Checks a BackupSchedule by itself, without its cluster. The argument is not modified.
 *
 * @returns the manifest without null values, and with its namespace.
 * @throws ManifestError that lists every error.
 */
export function checkSchedule(manifest: unknown): BackupScheduleManifest {
    const source = sourceOf(kind, manifest);
    if (!isMap(manifest)) {
        const shape = `a map with apiVersion ${apiVersion}, kind ${kind}, metadata and spec`;
        throw new ManifestError([specError("", shownWithKind(manifest), shape)], source);
    }
    const plain = plainCopy(manifest);
    const copy = plain.copy as Record<string, unknown>;
    const refused = refusedScheduleProblems(copy);
    // Loaded lazily: the schema library takes longer to load than the rest.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { checkBrSchema } = require("../brSchema") as typeof import("../brSchema");
    const given = isMap(copy.spec) && isMap(copy.spec.backupTemplate) ? copy.spec.backupTemplate : undefined;
    const isReported = fieldsWithin([
        ...refusedSchedulePaths,
        ...plain.problems.map(({ field }) => field),
        // The template is checked as a Backup.
        ...(given === undefined ? [] : [template]),
    ]);
    const shape = [
        ...apiVersionProblems(copy),
        ...plain.problems,
        ...refused,
        ...checkBrSchema(kind, copy).filter(({ field }) => !isReported(field)),
    ];
    const namespace = isMap(copy.metadata) ? copy.metadata.namespace : undefined;
    const problems = [
        ...shape,
        ...(given === undefined
            ? []
            : problemsAt(template, () =>
                  checkBr("Backup", {
                      metadata: { name: "template", ...(typeof namespace === "string" ? { namespace } : {}) },
                      // A schedule runs BR only.
                      spec: isSqlSpec(given) ? { ...given, br: { cluster: "cluster" } } : given,
                  }),
              )),
    ];
    // The rules read fields that the schema found to be there.
    const all = problems.length > 0 ? problems : scheduleRuleProblems(copy as unknown as BackupScheduleManifest);
    if (all.length > 0) {
        throw new ManifestError(all, source);
    }
    const checked = copy as unknown as BackupScheduleManifest;
    return { apiVersion, kind, metadata: checkedMetadata(checked), spec: checked.spec };
}

/** @returns the Backup that a checked schedule makes again and again. */
export function backupOf({ metadata, spec }: BackupScheduleManifest): BackupManifest & { metadata: ManifestMetadata } {
    const { backupTemplate, imagePullSecrets } = spec;
    const own: BackupSpec = { ...backupTemplate, ...(imagePullSecrets === undefined ? {} : { imagePullSecrets }) };
    return { apiVersion, kind: "Backup", metadata, spec: own };
}

/** Runs a check of the template as a Backup, and throws its errors as those of the schedule. */
export function withinTemplate<T>(manifest: BackupScheduleManifest, check: () => T): T {
    let result: { value: T } | undefined;
    const problems = problemsAt(template, () => {
        result = { value: check() };
    });
    if (result === undefined) {
        throw new ManifestError(problems, sourceOf(kind, manifest));
    }
    return result.value;
}
