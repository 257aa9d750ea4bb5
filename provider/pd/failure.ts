import { ports } from "../../topology/ports";
import { describeCall, toAttempt, type PdCall, type Tried } from "./call";
import { PdError, type PdAttempt } from "./pdError";
import { tlsAdvice } from "./tlsAdvice";
import type { Inconclusive, Refusal } from "./verdict";

/** The error of a call that no member settled. `known` lists all endpoints. */
export function unsettled(
    call: PdCall,
    tried: readonly Tried<{ readonly label: string }>[],
    known: readonly { readonly label: string }[],
): PdError {
    const results = tried.map(({ result }) => result);
    if (results.length === 0) {
        const labels = known.map(({ label }) => label).join(", ");
        const next = `Add an endpoint named ${call.only}; the known endpoints are ${labels}.`;
        return new PdError({ code: "PD_UNREACHABLE", call: describeCall(call), attempts: [], next });
    }
    // An unreachable endpoint may turn out to be PD later. Waiting is useless only if every answer was wrong.
    const decisive =
        results.find(({ code }) => code === "PD_NO_LEADER") ??
        results.find(({ code }) => code !== "PD_BAD_ANSWER") ??
        results[0];
    const uncertain = call.retry === "ifNotApplied" && results.some(({ maybeApplied }) => maybeApplied);
    const caution = "PD may have carried it out, so it was not retried: check PD's members before you retry. ";
    return new PdError({
        code: decisive.code,
        call: describeCall(call),
        attempts: tried.map(toAttempt),
        status: decisive.status,
        next: (uncertain ? caution : "") + whatToDo(decisive.code, tried),
    });
}

/** The error of a call that PD refused. */
export function refused(call: PdCall, refusal: Refusal, endpoint: string, before: readonly PdAttempt[]): PdError {
    const { code, status, reason } = refusal;
    return new PdError({
        code,
        call: describeCall(call),
        attempts: [...before, { endpoint, problem: `${status} ${reason}` }],
        status,
        next: (code !== "PD_NOT_BOOTSTRAPPED" && code !== "PD_NO_GATEWAY" && call.advice) || adviceOnRefusal[code],
    });
}

/** The error of a change that PD does not show, although PD acknowledged it or reported nothing to change. */
export function notApplied(call: PdCall, endpoint: string, before: readonly PdAttempt[], problem: string): PdError {
    return new PdError({
        code: "PD_REFUSED",
        call: describeCall(call),
        attempts: [...before, { endpoint, problem: `accepted, but ${problem}` }],
        next: "PD's leader may have changed, or somebody else may have undone it: find out which, then try again.",
    });
}

/** The error of a call that was not sent, because it would do harm until PD has loaded its schedulers. */
export function notReady(call: string): PdError {
    return new PdError({
        code: "PD_NOT_READY",
        call,
        attempts: [],
        next:
            "After an election PD loads its schedulers once it has heard of 90% of the regions, or after 5 minutes: try " +
            "again when `/pd/api/v1/schedulers` lists balance-leader-scheduler.",
    });
}

const adviceOnRefusal: Record<Refusal["code"], string> = {
    PD_REFUSED: "PD gave this reason; see the log of PD's leader for details.",
    PD_NOT_FOUND: "Check the name or id, and that this version of PD supports the call.",
    PD_NO_GATEWAY:
        "PD's etcd must be reachable over HTTP: do not set enable-grpc-gateway to false in PD's configuration.",
    PD_NOT_BOOTSTRAPPED: "Start TiKV: the first store to register bootstraps the cluster.",
};

const plainOnTls = /HTTP request to an HTTPS server/;
const tlsOnPlain = /EPROTO(?!.*\balert\b)|wrong version number|packet length too long/;

/** A port-forward does not always deliver a TLS refusal. */
const noAnswerOverTls = /https:.*no answer within/;

function whatToDo(code: Inconclusive["code"], tried: readonly Tried<{ readonly label: string }>[]): string {
    const problems = tried.map(({ route, result }) => `${route.label}: ${result.problem}`).join("\n");
    if (plainOnTls.test(problems)) {
        return "PD uses TLS: give an https address and the client's certificate.";
    }
    if (code === "PD_NO_LEADER") {
        return "An election takes seconds: try again. If there is still no leader, check that more than half of the PD members are running.";
    }
    if (code === "PD_BAD_ANSWER") {
        return `Check that the address is the client port of a PD member (${ports.pd.client}), not of another service or a proxy.`;
    }
    if (tlsOnPlain.test(problems)) {
        return "Check that PD uses TLS at this address; if it does not, give an http address.";
    }
    const advice = tlsAdvice(problems);
    if (advice !== undefined) {
        return advice;
    }
    const plain =
        "Check that a PD pod is running and that its address, or the port-forward to it, is reachable from here.";
    return noAnswerOverTls.test(problems)
        ? `${plain} A PD that refuses the client's certificate may also not answer: check that PD trusts the authority that signed it.`
        : plain;
}
