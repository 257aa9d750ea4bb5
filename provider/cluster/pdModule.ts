import type * as pd from "../pd";

/** The client of PD, loaded with the first question only, because loading it is slow. */
export function pdModule(): typeof pd {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return require("../pd") as typeof pd;
}
