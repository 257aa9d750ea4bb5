import { KubernetesApiError } from "./apiCall";
import { StaleDecision } from "./staleDecision";

/**
 * Changes an object that was observed before.
 * @param object as in "pod basic-tikv-2"
 * @throws StaleDecision if the API server reports that it has changed since (409)
 */
export async function staleOnConflict<T>(object: string, change: () => Promise<T>): Promise<T> {
    try {
        return await change();
    } catch (error) {
        if (error instanceof KubernetesApiError && error.status === 409) {
            throw new StaleDecision(
                `${object} has changed since it was observed: ${error.message}. Nothing was done to it; it is observed again`,
                { cause: error },
            );
        }
        throw error;
    }
}
