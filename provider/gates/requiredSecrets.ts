import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { missingSecrets } from "../lifecycle/prerequisites/missingSecrets";
import type { GateWorld } from "./gateWorld";
import type { ClusterProgramInputs } from "./inputs";
import { asksForPrerequisites } from "./prerequisites";

/**
 * Looks which Secrets with certificates do not exist, once for the cluster: if the program changed, and until the cluster was
 * healthy once. A Secret that may not be read, or whose answer fails, is not known to be missing.
 * @returns the warning; `undefined` if no Secret is known to be missing.
 */
export async function warningOfMissingSecrets(
    olds: Record<string, unknown>,
    program: ClusterProgramInputs,
    world: GateWorld,
): Promise<string | undefined> {
    const { certificates = [], mayGrant } = program.prerequisites ?? {};
    const asks = asksForPrerequisites(olds, program);
    if (certificates.length === 0 || asks === "never") {
        return undefined;
    }
    try {
        const { access, lease } = await world.open(program, "check");
        if (asks === "unchanged" && (await lease())?.pdClusterId !== undefined) {
            return undefined;
        }
        const absent = await access.absentSecrets(certificates.map(({ secretName }) => secretName));
        const missing = certificates.filter(({ secretName }) => absent.includes(secretName));
        return missingSecrets(program.namespace, missing, mayGrant ?? false);
    } catch (error) {
        // The check that follows reports it for the whole cluster.
        if (error instanceof KubernetesApiError || error instanceof ClusterAccessError) {
            return undefined;
        }
        throw error;
    }
}
