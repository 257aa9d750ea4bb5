import { type Fact, known, notKnown } from "../../lifecycle/vocabulary/evidence";
import { KubernetesApiError } from "../apiCall";
import { TooMany } from "./pages";

/** Asks the API server. An answer that it does not give is not known. */
export type Ask = <T>(question: () => Promise<T>) => Promise<Fact<T>>;

/** @returns what asks it. @param now the clock of the answers. */
export function asking(now: () => number): Ask {
    return async (question) => {
        try {
            return known(await question(), "the API server", now());
        } catch (error) {
            if (!(error instanceof KubernetesApiError || error instanceof TooMany)) {
                throw error;
            }
            return notKnown(error.message);
        }
    };
}
