import { decodeWire } from "./json";
import type { PdErrorCode } from "./pdError";
import type { PdExchange } from "./request";

/** PD's own no, which another member would only repeat. */
export interface Refusal {
    readonly kind: "refused";
    readonly code: "PD_REFUSED" | "PD_NOT_FOUND" | "PD_NOT_BOOTSTRAPPED" | "PD_NO_GATEWAY";
    readonly status: number;
    /** PD's reason, out of its JSON. */
    readonly reason: string;
}

/** No answer of a leader's: another member may do better. */
export interface Detour {
    readonly kind: "detour";
    readonly code: Extract<PdErrorCode, "PD_UNREACHABLE" | "PD_NO_LEADER" | "PD_BAD_ANSWER">;
    readonly status?: number;
    readonly problem: string;
    /** PD may have carried the call out all the same. */
    readonly perhapsDone: boolean;
    /** It may pass within moments: an election, a connection that was cut. */
    readonly passing: boolean;
    /** Only an idle connection had gone stale: the same endpoint may well answer on a new one. */
    readonly stale?: boolean;
    /** Where the answer says that the leader is: scheme, host and port. */
    readonly leaderUrl?: string;
}

/** What an exchange means for the call. */
export type Verdict<T> = { readonly kind: "done"; readonly value: T } | Refusal | Detour;

/**
 * The answers of a member that did not reach a leader, by the code in PD's text (tikv/pd pkg/errs). `redirect failed`
 * means that the leader did not answer that member: it may have carried the call out. After the others nobody has.
 */
const leaderless: readonly { readonly text: string; readonly perhapsDone: boolean }[] = [
    { text: "PD:apiutil:ErrRedirectNoLeader", perhapsDone: false },
    { text: "PD:apiutil:ErrRedirectToNotLeader", perhapsDone: false },
    { text: "PD:server:ErrLeaderNil", perhapsDone: false },
    { text: "PD:server:ErrServerNotStarted", perhapsDone: false },
    { text: "PD:apiutil:ErrRedirect]", perhapsDone: true },
];

/** Of `PD:cluster:ErrNotBootstrapped`; some calls give it with 500, the scheduler's with 406. */
const notBootstrapped = "TiKV cluster not bootstrapped";

/** What a TLS port answers to plain HTTP. */
const speaksTls = "HTTP request to an HTTPS server";

/** Judges an exchange. `read` reads the body of a success, and throws where it is not what PD writes. */
export function judge<T>(exchange: PdExchange, read: (body: string) => T): Verdict<T> {
    if (exchange.kind === "failure") {
        const { problem, sent, stale } = exchange;
        return { kind: "detour", code: "PD_UNREACHABLE", problem, perhapsDone: sent, passing: sent, stale };
    }
    const { status, body, location } = exchange;
    const problem = `${status} ${excerpt(body)}`;
    const detour = (code: Detour["code"], perhapsDone: boolean, passing: boolean): Detour => {
        return { kind: "detour", code, status, problem, perhapsDone, passing };
    };
    if (status >= 300 && status < 400) {
        const told = location === undefined ? "redirects without saying where to" : `redirects to ${location}`;
        return { ...detour("PD_NO_LEADER", false, false), problem: `${status} ${told}`, leaderUrl: originOf(location) };
    }
    const lost = leaderless.find(({ text }) => status >= 500 && body.includes(text));
    if (lost) {
        return detour("PD_NO_LEADER", lost.perhapsDone, true);
    }
    if (status === 502 || status === 503 || status === 504) {
        return detour("PD_UNREACHABLE", true, true);
    }
    if (isHtml(exchange) || (status === 400 && body.includes(speaksTls))) {
        return detour("PD_BAD_ANSWER", true, false);
    }
    if (status >= 200 && status < 300) {
        try {
            return { kind: "done", value: read(body) };
        } catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            return { ...detour("PD_BAD_ANSWER", true, false), problem: `${why}, in the answer ${problem}` };
        }
    }
    return { kind: "refused", code: refusalCode(status, body), status, reason: reasonOf(body) };
}

/** Scheme, host and port of an address; undefined where it is none. */
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

/** PD's reason comes as text, as a JSON string, as one inside another, or as an object with `msg`; etcd's with `message`. */
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
        return text; // Plain text, as several handlers write it.
    }
}

function excerpt(body: string): string {
    const line = body.trim().replace(/\s+/g, " ");
    return line === "" ? "(no text)" : line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
