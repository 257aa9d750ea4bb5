import { askMembers, ownPdUrls, referencePdUrls, type PdGet } from "./pdMembers";
import { initialState, type Answer, type DiscoveryState, type Facts, type StartRequest } from "./model";
import { decide } from "./protocol";
import type { ReadOrdinals } from "./replicas";
import type { Settings } from "./settings";

/** The interfaces that discovery uses. */
export interface DiscoveryPorts {
    /** Milliseconds of a monotonic clock. */
    readonly now: () => number;
    readonly readOrdinals: ReadOrdinals;
    readonly pdGet: PdGet;
    /** PD's URLs, for tests on one machine. Default: the cluster's Service and members. */
    readonly pdUrls?: (ordinals: readonly number[]) => string[];
}

/** A discovery instance: its state, and the functions that change it. */
export interface Discovery {
    /** Answers a start request. `isGone`: whether the pod has closed the connection; then it is not told to start. */
    answer(request: StartRequest, isGone: () => boolean): Promise<Answer>;
    /** Checks whether a PD answers, and remembers that one did. */
    checkForPd(): Promise<void>;
    readonly state: DiscoveryState;
}

/** How long a request may be held open, from its arrival, in milliseconds. Start scripts give up after 3 s. */
const holdMilliseconds = 1_400;

/** Creates a discovery with an empty state. */
export function createDiscovery(settings: Settings, ports: DiscoveryPorts): Discovery {
    let state = initialState;
    const watchers = new Set<() => void>();

    async function gather(): Promise<Facts> {
        const ordinals = await ports.readOrdinals();
        const known = "ordinals" in ordinals ? ordinals.ordinals : [];
        const own = await askMembers(ports.pdUrls?.(known) ?? ownPdUrls(settings, known), true, ports.pdGet);
        const joined = settings.joinsAnother && own.kind === "none" ? await askReference() : own;
        return { now: ports.now(), pd: joined, ordinals, cluster: settings };
    }

    function askReference() {
        return askMembers(referencePdUrls(settings), false, ports.pdGet);
    }

    /** Resolves at the next relevant change of the state, or after this time. */
    function change(milliseconds: number): Promise<void> {
        return new Promise((resolve) => {
            const done = () => {
                clearTimeout(timer);
                watchers.delete(done);
                resolve();
            };
            const timer = setTimeout(done, milliseconds);
            watchers.add(done);
        });
    }

    function remember(next: DiscoveryState): void {
        const isRelevant =
            next.waiting.size > state.waiting.size ||
            next.founder !== state.founder ||
            next.formed !== state.formed ||
            next.joining?.member !== state.joining?.member;
        state = next;
        if (isRelevant) {
            for (const wake of [...watchers]) {
                wake();
            }
        }
    }

    return {
        async answer(request, isGone) {
            const deadline = ports.now() + holdMilliseconds;
            for (;;) {
                const facts = await gather();
                if (isGone()) {
                    return { kind: "wait", reason: `${request.member} closed the connection`, mayHold: false };
                }
                const decision = decide(state, request, facts);
                remember(decision.state);
                const left = deadline - ports.now();
                if (decision.answer.kind === "start" || !decision.answer.mayHold || left <= 0) {
                    return decision.answer;
                }
                await change(left);
            }
        },
        async checkForPd() {
            const ordinals = await ports.readOrdinals();
            const known = "ordinals" in ordinals ? ordinals.ordinals : [];
            const pd = await askMembers(ports.pdUrls?.(known) ?? ownPdUrls(settings, known), true, ports.pdGet);
            if (pd.kind !== "none" && !state.formed) {
                remember({ ...state, formed: true });
            }
        },
        get state() {
            return state;
        },
    };
}
