import type { PdErrorCode } from "../../../provider/pd";
import { PdError } from "../../../provider/pd/pdError";
import type { Leadership } from "./world";

/** Sends a call to PD's leader, which answers with what it knows when the call arrives. */
export type AskPd = <T>(call: string, work: (leadership: Leadership) => T) => Promise<T>;

export function pdError(code: PdErrorCode, call: string): PdError {
    return new PdError({ code, call, attempts: [], next: "Check PD." });
}
