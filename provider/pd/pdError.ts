/**
 * What went wrong:
 * - `PD_UNREACHABLE`: no member could be asked (no connection, no answer in time, or an error of a gateway in between);
 * - `PD_NO_LEADER`: members answer, but reach no leader of PD: there is no quorum, or an election is going on;
 * - `PD_REFUSED`: PD understood the call and refused it;
 * - `PD_NOT_FOUND`: PD does not know the store, member or path;
 * - `PD_NOT_BOOTSTRAPPED`: no store has ever started, so there is nothing to ask about;
 * - `PD_NOT_READY`: PD has not loaded its schedulers since its last election, and the call would do harm until it has;
 * - `PD_NO_GATEWAY`: PD does not serve its etcd over HTTP (`enable-grpc-gateway` is false);
 * - `PD_BAD_ANSWER`: the answer is not one that PD gives.
 */
export type PdErrorCode =
    | "PD_UNREACHABLE"
    | "PD_NO_LEADER"
    | "PD_REFUSED"
    | "PD_NOT_FOUND"
    | "PD_NOT_BOOTSTRAPPED"
    | "PD_NOT_READY"
    | "PD_NO_GATEWAY"
    | "PD_BAD_ANSWER";

/** One request that did not complete the call. */
export interface PdAttempt {
    /** Name and address of the endpoint. */
    readonly endpoint: string;
    /** What the endpoint answered, or why it did not answer. */
    readonly problem: string;
}

/** The fields of a `PdError`. */
export interface PdErrorDetails {
    readonly code: PdErrorCode;
    /** The call's purpose and request: `delete store 6 (DELETE /pd/api/v1/store/6)`. */
    readonly call: string;
    readonly attempts: readonly PdAttempt[];
    /** The HTTP status of the decisive answer. */
    readonly status?: number;
    /** What the user should do next: a whole sentence. */
    readonly next: string;
}

/** A failed call to PD. The message names the call, every member asked and its answer, and what to do next. */
export class PdError extends Error {
    readonly code: PdErrorCode;
    readonly call: string;
    readonly attempts: readonly PdAttempt[];
    readonly status?: number;

    constructor(details: PdErrorDetails) {
        super(describe(details));
        this.name = "PdError";
        this.code = details.code;
        this.call = details.call;
        this.attempts = details.attempts;
        this.status = details.status;
    }
}

const summaries: Record<PdErrorCode, string> = {
    PD_UNREACHABLE: "PD is unreachable",
    PD_NO_LEADER: "PD has no leader",
    PD_REFUSED: "PD refused",
    PD_NOT_FOUND: "not found in PD",
    PD_NOT_BOOTSTRAPPED: "PD's cluster is not bootstrapped",
    PD_NOT_READY: "PD has not loaded its schedulers yet",
    PD_NO_GATEWAY: "PD's etcd is not served over HTTP",
    PD_BAD_ANSWER: "the answer is not one that PD gives",
};

function describe({ code, call, attempts, next }: PdErrorDetails): string {
    const asked = attempts.map(({ endpoint, problem }) => `${endpoint}: ${problem}`).join("; ");
    return `${call}: ${summaries[code]} [${code}]. ${asked === "" ? "The call was not sent" : `Asked ${asked}`}. ${next}`;
}
