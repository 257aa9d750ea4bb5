import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { missingClasses } from "../lifecycle/prerequisites/missingClasses";
import type { GateWorld } from "./gateWorld";
import { type ClusterProgramInputs, unknownPath } from "./inputs";
import { asksForPrerequisites } from "./prerequisites";

/**
 * Looks which StorageClasses do not exist, once for the cluster and if the program changed. Without permission to list them, which
 * a namespace's Role cannot grant, nothing is said.
 * @returns the warning; `undefined` if no class is known to be missing.
 */
export async function warningOfMissingClasses(
    olds: Record<string, unknown>,
    program: ClusterProgramInputs,
    world: GateWorld,
): Promise<string | undefined> {
    const { storageClasses = {}, mayGrant } = program.prerequisites ?? {};
    const isKnown = unknownPath(storageClasses) === undefined;
    if (
        !isKnown ||
        Object.values(storageClasses).flat().length === 0 ||
        asksForPrerequisites(olds, program) !== "changed"
    ) {
        return undefined;
    }
    try {
        const found = await (await world.open(program, "check")).access.storageClasses();
        return found && missingClasses(storageClasses, found, mayGrant ?? false);
    } catch (error) {
        // The check that follows reports it for the whole cluster.
        if (error instanceof KubernetesApiError || error instanceof ClusterAccessError) {
            return undefined;
        }
        throw error;
    }
}
