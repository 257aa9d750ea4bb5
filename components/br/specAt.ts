import { ManifestError, type SpecProblem } from "../problem";

/** @returns the errors of a check of a Backup whose spec is at another place: `spec.s3` becomes `spec.backupTemplate.s3`. */
export function problemsAt(place: string, check: () => unknown): SpecProblem[] {
    const moved = (text: string) => text.replace(/(^|[^\w.])spec\b/g, (_, before: string) => `${before}${place}`);
    try {
        check();
        return [];
    } catch (error) {
        if (!(error instanceof ManifestError)) {
            throw error;
        }
        return error.problems.map((problem) => ({
            ...problem,
            field: moved(problem.field),
            message: moved(problem.message),
        }));
    }
}
