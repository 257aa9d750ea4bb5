import { jobRunFields } from "./jobRunArgs";
import { specError, type SpecProblem } from "./problem";

const access = ["kubeconfig", "context"] as const;
const ofEach = ["cluster", ...access, ...jobRunFields] as const;

/** The arguments that a program gives beside `metadata` and `spec`, except those that are fields of the spec, too. */
export const besideSpec = {
    TidbCluster: [...access, "operations"],
    TidbInitializer: ["tidbCluster", ...access, ...jobRunFields],
    Backup: [...ofEach, "cleanImage"],
    Restore: [...ofEach, "allowExistingData", "backupVersion"],
    CompactBackup: ofEach,
    BackupSchedule: ["cluster", ...access, "timeZone", "startingDeadlineSeconds", "retentionImage"],
} as const;

/** @returns the error about an argument of a component that stands in its spec; undefined for any other field. */
export function argumentInSpec(component: keyof typeof besideSpec, field: string): SpecProblem | undefined {
    const [, name] = /^spec\.(\w+)$/.exec(field) ?? [];
    return (besideSpec[component] as readonly string[]).includes(name)
        ? specError(
              field,
              "it inside `spec`",
              `\`${name}\` next to \`spec\`, as an argument of ${component} in a program`,
          )
        : undefined;
}
