import { specError, type SpecProblem } from "../problem";
import { isDnsSubdomain } from "../validation/kubernetesNames";
import { shown } from "../validation/path";

/** @returns an error if a Secret is named that no Secret can be named. */
export function secretProblems(field: string, name: string | undefined): SpecProblem[] {
    return !name || isDnsSubdomain(name) ? [] : [specError(field, shown(name), "the name of a Secret")];
}
