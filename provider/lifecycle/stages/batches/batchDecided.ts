import type { Stage } from "../../vocabulary/stage";
import { batchOnRecord } from "./batchOnRecord";
import { batchBeginningWith } from "./chooseBatch";

/** For how long PD is asked again for what it did not say: with its next count, every 10 s, it says more. */
const askAgainSeconds = 20;

/**
 * It is decided with which other stores this one restarts, before its leaders move: with those of a batch that is proven, or alone. A
 * proof that PD does not give soon is none.
 */
export const batchDecided: Stage = {
    name: "batch-decided",
    holds: (view) => {
        const choice = batchOnRecord(view) === undefined ? batchBeginningWith(view) : undefined;
        if (choice === undefined || ("why" in choice && choice.mayPass !== true)) {
            return true;
        }
        if ("look" in choice) {
            return choice;
        }
        return "why" in choice
            ? { lacks: `whether stores can restart side by side is not known: ${choice.why}` }
            : { lacks: `the batch of ${Object.keys(choice.stores).join(", ")} is not on record` };
    },
    act: (view) => {
        const choice = batchBeginningWith(view);
        return choice !== undefined && "stores" in choice
            ? { do: "begin-batch", component: view.target.component, stores: choice.stores }
            : undefined;
    },
    timeout: () => ({ seconds: askAgainSeconds, then: "go-on" }),
    advice: "",
};
