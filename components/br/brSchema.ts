import type { ErrorObject, ValidateFunction } from "ajv";
import { argumentInSpec } from "../besideSpec";
import type { SpecProblem } from "../problem";
import { compileSchema } from "../validation/compileSchema";
import { schemaProblems } from "../validation/schema";
import schema from "./br.schema.json";
import type { BrKind } from "./spec";

type Kind = BrKind | "BackupSchedule";

const compiled = new Map<Kind, ValidateFunction>();

/** Checks the types of the fields of a Backup, a Restore, a CompactBackup or a BackupSchedule. Fields that are not known are errors. */
export function checkBrSchema(kind: Kind, manifest: Record<string, unknown>): SpecProblem[] {
    const validate = compiled.get(kind) ?? compileSchema({ ...schema, $ref: `#/definitions/${kind}Manifest` });
    compiled.set(kind, validate);
    validate(manifest);
    // The spec of a Backup that is a part of something else has no kind.
    const isWhole = manifest.kind === kind;
    return schemaProblems(validate.errors as ErrorObject[] | null, manifest).map(
        (problem) => (isWhole ? argumentInSpec(kind, problem.field) : undefined) ?? problem,
    );
}
