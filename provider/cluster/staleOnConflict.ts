import { KubernetesApiError } from "./apiCall";
import { StaleDecision } from "./staleDecision";

/**
 * Changes an object that was looked at before.
 * @param object as in "pod basic-tikv-2"
 * @throws StaleDecision where the API server says that it has changed since (409)
 */
export async function staleOnConflict<T>(object: string, change: () => Promise<T>): Promise<T> {
    try {
        return await change();
    } catch (error) {
        if (error instanceof KubernetesApiError && error.status === 409) {
            throw new StaleDecision(
                `${object} is not as it was when it was looked at: ${error.message}. Nothing was done to it, and it is looked at again`,
                { cause: error },
            );
        }
        throw error;
    }
}
