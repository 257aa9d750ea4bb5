import { setTimeout as pause } from "node:timers/promises";
import { nextStep, toAttempt, type PdCall, type Tried } from "./call";
import { unsettled } from "./failure";
import type { PdMember } from "./model";
import type { PdClientOptions } from "./options";
import type { PdAttempt } from "./pdError";
import { createRoutes, defaultTimeoutMilliseconds, type Route } from "./route";
import { judge, originOf, type Detour, type Verdict } from "./verdict";

/** A call that a member settled. */
export interface Settled<T> {
    readonly verdict: Exclude<Verdict<T>, Detour>;
    /** Who settled it. */
    readonly endpoint: string;
    /** Those asked before, to no avail. */
    readonly before: readonly PdAttempt[];
}

/** The members of one PD, as somewhere to send calls to. */
export interface PdTransport {
    /** Requests sent so far. */
    readonly calls: number;
    /** Sends a call to one member after the other until one settles it. Rejects with a `PdError` where none does. */
    ask<T>(call: PdCall, read: (body: string) => T): Promise<Settled<T>>;
    /** @returns the same, but that it sees to `assertMay` right before each request that changes something is sent. */
    guardedBy(assertMay: () => void): PdTransport;
    /** From now on asks this member first, found by its name or else by an address. */
    prefer(member: PdMember): void;
    /** The name of the endpoint that is this member, found by its name or else by an address. */
    nameOf(member: PdMember): string | undefined;
    close(): void;
}

/** Before a question is put once more: an election may be over by then. */
const pauseMilliseconds = 200;

/** Less time than this is not worth another request. */
const shortestTryMilliseconds = 50;

/**
 * For how long to wait for one request: the first may take its time, and those after it share as much again, so that
 * three members that accept a call and never answer take twice the time of one. The last one may take all that is left.
 */
function timeoutOf(each: number, untried: number, tried: number, elapsed: number): number {
    const left = 2 * each - elapsed;
    return Math.floor(tried === 0 ? each : Math.min(each, left / Math.max(1, untried)));
}

/** Makes the transport. Remembers which member answered last, and asks it first. */
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

    const guardedBy = (assertMay: () => void): PdTransport => ({
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
                const { route, repeat } = step;
                const untried = order.filter((one) => !tried.some((attempt) => attempt.route === one)).length;
                const elapsed = performance.now() - began + (step.pause ? pauseMilliseconds : 0);
                const timeout = timeoutOf(each, untried, tried.length, elapsed);
                if (timeout < shortestTryMilliseconds) {
                    break;
                }
                if (step.pause) {
                    await pause(pauseMilliseconds);
                }
                if (closed) {
                    throw new Error(`${call.purpose}: this PD client was closed. Make a new one.`);
                }
                if (repeat || call.repeat === "unhandled") {
                    // An idle connection may have gone stale, and nothing would then say whether the call got through.
                    route.dropIdle();
                }
                if (call.changes) {
                    assertMay();
                }
                calls++;
                const verdict = judge(await route.send(call, timeout), read);
                if (verdict.kind !== "detour") {
                    first = call.only === undefined ? route : first;
                    return { verdict, endpoint: route.label, before: tried.map(toAttempt) };
                }
                tried.push({ route, detour: verdict, repeat });
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
