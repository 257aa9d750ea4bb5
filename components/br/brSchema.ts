import type { ErrorObject, ValidateFunction } from "ajv";
import type { SpecProblem } from "../problem";
import { compileSchema } from "../validation/compileSchema";
import { schemaProblems } from "../validation/schema";
import { insideSpec } from "../validation/unknownField";
import { besideSpec } from "./besideSpec";
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
    const beside: readonly string[] = manifest.kind === kind ? besideSpec[kind] : [];
    return schemaProblems(validate.errors as ErrorObject[] | null, manifest).map((problem) => {
        const name = /^spec\.(\w+)$/.exec(problem.field)?.[1];
        return name !== undefined && beside.includes(name)
            ? insideSpec(problem.field, name, kind)
            : {
                  ...problem,
                  // In a TidbCluster such a field is a warning that says so.
                  message: problem.message.replace(" is not a known field and is ignored", " is not a known field"),
                  severity: "error" as const,
              };
    });
}
