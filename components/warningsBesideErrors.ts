import { ManifestError } from "./problem";
import { shownWarnings } from "./shownWarnings";

/**
 * Runs a check of a manifest. If the manifest has errors, its warnings are shown before the error is thrown: a misspelled
 * field is often why another one is missing.
 *
 * @param warn is called with each warning, and once for all warnings after the 20th.
 * @throws ManifestError if the check does.
 */
export function warningsBesideErrors<T>(check: () => T, warn: (message: string) => void): T {
    try {
        return check();
    } catch (error) {
        if (error instanceof ManifestError) {
            const warnings = error.problems.filter(({ severity }) => severity === "warning");
            shownWarnings(warnings.map(({ message }) => message)).forEach(warn);
        }
        throw error;
    }
}
