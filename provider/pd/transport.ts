import { setTimeout as pause } from "node:timers/promises";
import { nextStep, toAttempt, type PdCall, type Tried } from "./call";
import { unsettled } from "./failure";
import type { PdMember } from "./model";
import type { PdClientOptions } from "./options";
import type { PdAttempt } from "./pdError";
import { createRoutes, defaultTimeoutMilliseconds, type Route } from "./route";
import { judge, originOf, type Inconclusive, type Verdict } from "./verdict";

/** A call that a member settled. */
export interface Settled<T> {
    readonly verdict: Exclude<Verdict<T>, Inconclusive>;
    /** The endpoint that settled the call. */
    readonly endpoint: string;
    /** Earlier attempts that did not. */
    readonly before: readonly PdAttempt[];
}

/** Sends calls to the members of one PD. */
export interface PdTransport {
    /** Requests sent so far. */
    readonly calls: number;
    /** Sends a call to one member at a time until one settles it. Rejects with a `PdError` if none does. */
    ask<T>(call: PdCall, read: (body: string) => T): Promise<Settled<T>>;
    /**
     * @returns the same transport that also calls `assertAllowed` in the last moment before a request that changes something
     * leaves: on an open connection, after which nothing waits. If it throws, nothing is sent.
     */
    guardedBy(assertAllowed: () => void): PdTransport;
    /** Asks this member first from now on. The endpoint is found by the member's name, or by an address. */
    prefer(member: PdMember): void;
    /** Returns the name of the member's endpoint, which is found by the member's name or by an address. */
    nameOf(member: PdMember): string | undefined;
    close(): void;
}

/** The pause before a retry: an election may be over by then. */
const pauseMilliseconds = 200;

/** Less time than this is not worth another request. */
const minAttemptMilliseconds = 50;

/**
 * Returns the timeout of one request. The first gets the whole timeout, and those after it share the same time again:
 * three members that accept a call and never answer take twice as long as one. The last request gets all the time that
 * is left.
 */
function timeoutOf(each: number, untried: number, tried: number, elapsed: number): number {
    const left = 2 * each - elapsed;
    return Math.floor(tried === 0 ? each : Math.min(each, left / Math.max(1, untried)));
}

/** Creates the transport. It remembers which member answered last and asks that member first. */
export function createTransport(options: PdClientOptions): PdTransport {
    const routes = createRoutes(options);
    let first: Route | undefined;
    let calls = 0;
    let closed = false;

    const orderFor = ({ only }: PdCall) => {
        if (only !== undefined) {
            return routes.filter(({ name }) => name === only);
        }
        return first ? [first, ...routes.filter((route) => route !== first)] : routes;
    };

    const routeOf = ({ name, clientUrls }: PdMember) => {
        const addresses = clientUrls.map(originOf);
        return routes.find((route) => route.name === name) ?? routes.find(({ url }) => addresses.includes(url));
    };

    const guardedBy = (assertAllowed: () => void): PdTransport => ({
        get calls() {
            return calls;
        },
        guardedBy,
        async ask(call, read) {
            const order = orderFor(call);
            const each = options.timeoutMilliseconds ?? call.timeoutMilliseconds ?? defaultTimeoutMilliseconds;
            const tried: Tried<Route>[] = [];
            const began = performance.now();
            for (let step = nextStep(call, order, tried); step; step = nextStep(call, order, tried)) {
                const { route, isRetry } = step;
                const untried = order.filter((one) => !tried.some((attempt) => attempt.route === one)).length;
                const elapsed = performance.now() - began + (step.pause ? pauseMilliseconds : 0);
                const timeout = timeoutOf(each, untried, tried.length, elapsed);
                if (timeout < minAttemptMilliseconds) {
                    break;
                }
                if (step.pause) {
                    await pause(pauseMilliseconds);
                }
                if (closed) {
                    throw new Error(`${call.purpose}: this PD client was closed. Create a new one.`);
                }
                if (isRetry || call.retry === "ifNotApplied") {
                    // If an idle connection has gone stale, nothing tells whether the call got through.
                    route.dropIdle();
                }
                calls++;
                const verdict = judge(await route.send(call, timeout, call.changes && assertAllowed), read);
                if (verdict.kind !== "inconclusive") {
                    first = call.only === undefined ? route : first;
                    return { verdict, endpoint: route.label, before: tried.map(toAttempt) };
                }
                tried.push({ route, result: verdict, isRetry });
            }
            throw unsettled(call, tried, routes);
        },
        prefer(member) {
            first = routeOf(member) ?? first;
        },
        nameOf: (member) => routeOf(member)?.name,
        close() {
            closed = true;
            routes.forEach((route) => route.close());
        },
    });
    return guardedBy(() => undefined);
}
