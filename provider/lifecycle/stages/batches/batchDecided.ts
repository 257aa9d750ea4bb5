import type { Stage } from "../../vocabulary/stage";
import { batchOnRecord } from "./batchOnRecord";
import { batchBeginningWith } from "./chooseBatch";

/** For how long PD is asked again for what it did not say: with its next count, every 10 s, it says more. */
const askAgainSeconds = 20;

/**
 * Decides first which pods restart together with this one: those of a proven batch, or none. If the proof does not come in time,
 * the pod restarts alone.
 */
export const batchDecided: Stage = {
    name: "batch-decided",
    holds: (view) => {
        const choice = batchOnRecord(view) === undefined ? batchBeginningWith(view) : undefined;
        if (choice === undefined) {
            return true;
        }
        if ("look" in choice) {
            return choice;
        }
        return "why" in choice
            ? { lacks: `it is not proven that pods can restart side by side: ${choice.why}` }
            : { lacks: `the batch of ${Object.keys(choice.stores).join(", ")} is not on record` };
    },
    act: (view) => {
        const choice = batchBeginningWith(view);
        return choice !== undefined && "stores" in choice
            ? { do: "begin-batch", component: view.target.component, stores: choice.stores }
            : undefined;
    },
    // A refusal that will not go away is not waited for. The journal lists it with the next action.
    timeout: (view) => {
        const choice = batchBeginningWith(view);
        if (choice !== undefined && "stores" in choice) {
            // However long the proof took to come, the batch is begun.
            return { seconds: askAgainSeconds, then: "go-on", as: "batch-proven" };
        }
        const refusal = choice !== undefined && "why" in choice ? choice : undefined;
        const isFinal = refusal !== undefined && refusal.mayPass !== true;
        return { seconds: isFinal ? 0 : (refusal?.seconds ?? askAgainSeconds), then: "go-on" };
    },
    advice: "",
};
