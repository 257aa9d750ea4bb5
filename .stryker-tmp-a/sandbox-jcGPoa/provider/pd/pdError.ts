/**
 * What went wrong:
 * - `PD_UNREACHABLE`: no member could be asked (no connection, no answer in time, a gateway in between);
 * - `PD_NO_LEADER`: members answer, but PD has no leader that they reach: no quorum, or an election;
 * - `PD_REFUSED`: PD understood the call and said no;
 * - `PD_NOT_FOUND`: PD does not know the store, member or path;
 * - `PD_NOT_BOOTSTRAPPED`: no store has ever started, so there is nothing to ask about;
 * - `PD_NOT_READY`: PD has not loaded its schedulers since its last election, and the call would do harm until it has;
 * - `PD_NO_GATEWAY`: PD does not serve its etcd over HTTP (`enable-grpc-gateway` is false);
 * - `PD_BAD_ANSWER`: what answered does not answer as PD does.
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

/** One request that did not bring the call to its end. */
export interface PdAttempt {
    /** The endpoint asked: name and address. */
    readonly endpoint: string;
    /** What it answered, or why it did not. */
    readonly problem: string;
}

/** What a `PdError` is made from. */
export interface PdErrorDetails {
    readonly code: PdErrorCode;
    /** What the call was for, and the call: `delete store 6 (DELETE /pd/api/v1/store/6)`. */
    readonly call: string;
    readonly attempts: readonly PdAttempt[];
    /** The HTTP status of the answer that decided. */
    readonly status?: number;
    /** What the reader should do now: a whole sentence. */
    readonly next: string;
}

/** A call to PD that failed. The message names the call, every member asked and its answer, and what to do next. */
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
    PD_UNREACHABLE: "PD cannot be reached",
    PD_NO_LEADER: "PD has no leader",
    PD_REFUSED: "PD refused",
    PD_NOT_FOUND: "PD does not know it",
    PD_NOT_BOOTSTRAPPED: "PD's cluster is not bootstrapped",
    PD_NOT_READY: "PD has not loaded its schedulers yet",
    PD_NO_GATEWAY: "PD's etcd is not served over HTTP",
    PD_BAD_ANSWER: "the answer is not PD's",
};

function describe({ code, call, attempts, next }: PdErrorDetails): string {
    const asked = attempts.map(({ endpoint, problem }) => `${endpoint}: ${problem}`).join("; ");
    return `${call}: ${summaries[code]} [${code}]. Asked ${asked || "nobody"}. ${next}`;
}
