import { decodeWire } from "./json";
import type { PdErrorCode } from "./pdError";
import type { PdExchange } from "./request";

/** PD refused the call. Another member would only refuse it again. */
export interface Refusal {
    readonly kind: "refused";
    readonly code: "PD_REFUSED" | "PD_NOT_FOUND" | "PD_NOT_BOOTSTRAPPED" | "PD_NO_GATEWAY";
    readonly status: number;
    /** PD's reason, from its JSON. */
    readonly reason: string;
}

/** The request did not reach PD's leader. Another member may succeed. */
export interface Inconclusive {
    readonly kind: "inconclusive";
    readonly code: Extract<PdErrorCode, "PD_UNREACHABLE" | "PD_NO_LEADER" | "PD_BAD_ANSWER">;
    readonly status?: number;
    readonly problem: string;
    /** Whether PD may have carried the call out anyway. */
    readonly maybeApplied: boolean;
    /** Whether the problem may end within moments: an election, a connection that was cut. */
    readonly transient: boolean;
    /** Whether only an idle connection had gone stale: the same endpoint is likely to answer on a new one. */
    readonly stale?: boolean;
    /** The leader's address according to the answer: scheme, host and port. */
    readonly leaderUrl?: string;
}

/** The meaning of an exchange for its call. */
export type Verdict<T> = { readonly kind: "done"; readonly value: T } | Refusal | Inconclusive;

/**
 * The answers of a member that did not reach a leader, by the error code in PD's text (tikv/pd pkg/errs). `ErrRedirect`
 * means that the leader did not answer the member, so it may have carried the call out. After the other errors nobody
 * has.
 */
const leaderless: readonly { readonly text: string; readonly maybeApplied: boolean }[] = [
    { text: "PD:apiutil:ErrRedirectNoLeader", maybeApplied: false },
    { text: "PD:apiutil:ErrRedirectToNotLeader", maybeApplied: false },
    { text: "PD:server:ErrLeaderNil", maybeApplied: false },
    { text: "PD:server:ErrServerNotStarted", maybeApplied: false },
    { text: "PD:apiutil:ErrRedirect]", maybeApplied: true },
];

/** The text of `PD:cluster:ErrNotBootstrapped`. Some calls return it with status 500, those of schedulers with 406. */
const notBootstrapped = "TiKV cluster not bootstrapped";

/** The answer of a TLS port to plain HTTP. */
const speaksTls = "HTTP request to an HTTPS server";

/** Judges an exchange. `read` reads the body of a success, and throws if PD would not write it so. */
export function judge<T>(exchange: PdExchange, read: (body: string) => T): Verdict<T> {
    if (exchange.kind === "failure") {
        const { problem, sent, stale } = exchange;
        return { kind: "inconclusive", code: "PD_UNREACHABLE", problem, maybeApplied: sent, transient: sent, stale };
    }
    const { status, body, location } = exchange;
    const problem = () => `${status} ${excerpt(body)}`;
    const inconclusive = (code: Inconclusive["code"], maybeApplied: boolean, transient: boolean): Inconclusive => {
        return { kind: "inconclusive", code, status, problem: problem(), maybeApplied, transient };
    };
    if (status >= 300 && status < 400) {
        const where = location === undefined ? "redirects without a target" : `redirects to ${location}`;
        return {
            ...inconclusive("PD_NO_LEADER", false, false),
            problem: `${status} ${where}`,
            leaderUrl: originOf(location),
        };
    }
    const noLeader = leaderless.find(({ text }) => status >= 500 && body.includes(text));
    if (noLeader) {
        return inconclusive("PD_NO_LEADER", noLeader.maybeApplied, true);
    }
    if (status === 502 || status === 503 || status === 504) {
        return inconclusive("PD_UNREACHABLE", true, true);
    }
    if (isHtml(exchange) || (status === 400 && body.includes(speaksTls))) {
        return inconclusive("PD_BAD_ANSWER", true, false);
    }
    if (status >= 200 && status < 300) {
        try {
            return { kind: "done", value: read(body) };
        } catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            return { ...inconclusive("PD_BAD_ANSWER", true, false), problem: `${why}, in the answer ${problem()}` };
        }
    }
    return { kind: "refused", code: refusalCode(status, body), status, reason: reasonOf(body) };
}

/** Returns scheme, host and port of an address; undefined if it is invalid. */
export function originOf(url: string | undefined): string | undefined {
    return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
}

function refusalCode(status: number, body: string): Refusal["code"] {
    if (body.includes(notBootstrapped)) {
        return "PD_NOT_BOOTSTRAPPED";
    }
    return status === 404 ? "PD_NOT_FOUND" : "PD_REFUSED";
}

function isHtml({ contentType, body }: { contentType: string; body: string }): boolean {
    return contentType.startsWith("text/html") || body.trimStart().startsWith("<");
}

/**
 * Reads the reason: PD writes text, a JSON string, a JSON string inside another, or an object with `msg`; etcd writes
 * `message`.
 */
function reasonOf(body: string): string {
    const once = decodeOr(body);
    const value = typeof once === "string" ? decodeOr(once) : once;
    const { msg, message } = (value ?? {}) as { msg?: unknown; message?: unknown };
    return (
        [value, msg, message]
            .find((text) => typeof text === "string")
            ?.toString()
            .trim() ?? excerpt(body)
    );
}

function decodeOr(text: string): unknown {
    try {
        return decodeWire(text);
    } catch {
        return text; // Several handlers write plain text.
    }
}

function excerpt(body: string): string {
    const line = body.trim().replace(/\s+/g, " ");
    return line === "" ? "(no text)" : line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
