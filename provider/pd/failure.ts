import { ports } from "../../topology/ports";
import { describeCall, toAttempt, type PdCall, type Tried } from "./call";
import { PdError, type PdAttempt } from "./pdError";
import { tlsAdvice } from "./tlsAdvice";
import type { Detour, Refusal } from "./verdict";

/** The error of a call that no member settled. `known` are the endpoints there are. */
export function unsettled(
    call: PdCall,
    tried: readonly Tried<{ readonly label: string }>[],
    known: readonly { readonly label: string }[],
): PdError {
    const detours = tried.map(({ detour }) => detour);
    if (detours.length === 0) {
        const labels = known.map(({ label }) => label).join(", ");
        const next = `Give an endpoint of the name ${call.only}; those known are ${labels}.`;
        return new PdError({ code: "PD_UNREACHABLE", call: describeCall(call), attempts: [], next });
    }
    // Who cannot be reached may yet answer as PD does; only where all answers are wrong will waiting not help.
    const decisive =
        detours.find(({ code }) => code === "PD_NO_LEADER") ??
        detours.find(({ code }) => code !== "PD_BAD_ANSWER") ??
        detours[0];
    const uncertain = call.repeat === "unhandled" && detours.some(({ perhapsDone }) => perhapsDone);
    const caution = "It may have been carried out, so it was not repeated: look at PD's members before you do. ";
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

/** The error of a change that is not seen, though PD acknowledged it or said that there was nothing to change. */
export function lost(call: PdCall, endpoint: string, before: readonly PdAttempt[], problem: string): PdError {
    return new PdError({
        code: "PD_REFUSED",
        call: describeCall(call),
        attempts: [...before, { endpoint, problem: `taken, but ${problem}` }],
        next: "PD's leader may have changed, or somebody else have changed it: find out who, then try again.",
    });
}

/** The error of a call that would do harm before PD has loaded its schedulers. */
export function notReady(call: string): PdError {
    return new PdError({
        code: "PD_NOT_READY",
        call,
        attempts: [],
        next:
            "After an election PD loads its schedulers when it has heard of 90% of the regions, or after 5 minutes: try " +
            "again then. balance-leader-scheduler must be among `/pd/api/v1/schedulers`.",
    });
}

const adviceOnRefusal: Record<Refusal["code"], string> = {
    PD_REFUSED: "The reason is PD's own; the log of its leader says more.",
    PD_NOT_FOUND: "Check the name or id, and that this PD is of a version that knows the call.",
    PD_NO_GATEWAY: "PD's etcd must be reachable over HTTP: PD must not have enable-grpc-gateway set to false.",
    PD_NOT_BOOTSTRAPPED: "Start TiKV: the first store to register bootstraps the cluster.",
};

const plainOnTls = /HTTP request to an HTTPS server/;
const tlsOnPlain = /EPROTO(?!.*\balert\b)|wrong version number|packet length too long/;

/** Through a port-forward, a refusal within TLS does not always come through. */
const silentOverTls = /https:.*no answer within/;

function whatToDo(code: Detour["code"], tried: readonly Tried<{ readonly label: string }>[]): string {
    const problems = tried.map(({ route, detour }) => `${route.label}: ${detour.problem}`).join("\n");
    if (plainOnTls.test(problems)) {
        return "PD speaks TLS: give an https address and the client's certificate.";
    }
    if (code === "PD_NO_LEADER") {
        return "An election takes seconds: try again. Where it stays so, more than half of the PD members must be running.";
    }
    if (code === "PD_BAD_ANSWER") {
        return `Check that the address is the client port of a PD member (${ports.pd.client}), not of another service or a proxy.`;
    }
    if (tlsOnPlain.test(problems)) {
        return "Check that PD speaks TLS on this address; where it does not, give an http address.";
    }
    const advice = tlsAdvice(problems);
    if (advice !== undefined) {
        return advice;
    }
    const plain = "Check that a PD pod runs and that its address, or the port-forward to it, is reachable from here.";
    return silentOverTls.test(problems)
        ? `${plain} A PD that refuses the client's certificate may be silent, too: check that its authority is PD's.`
        : plain;
}
