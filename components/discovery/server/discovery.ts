import { askMembers, ownPdUrls, referencePdUrls, type PdGet } from "./pdMembers";
import { initialState, type Answer, type Ask, type DiscoveryState, type Facts } from "./model";
import { decide } from "./protocol";
import type { ReadOrdinals } from "./replicas";
import type { Settings } from "./settings";

/** What discovery needs of the world. */
export interface DiscoveryPorts {
    /** Milliseconds on a clock that never jumps. */
    readonly now: () => number;
    readonly readOrdinals: ReadOrdinals;
    readonly pdGet: PdGet;
    /** Where PD is asked; for tests on one machine. Default: the cluster's Service and members. */
    readonly pdUrls?: (ordinals: readonly number[]) => string[];
}

/** One discovery: its memory, and the one way to change it. */
export interface Discovery {
    /** Answers an ask. `isGone`: whether the asker hung up, in which case nothing is promised to it. */
    answer(ask: Ask, isGone: () => boolean): Promise<Answer>;
    /** Looks for a PD without being asked, so that one that was ever there is remembered. */
    look(): Promise<void>;
    readonly state: DiscoveryState;
}

/** How long an ask is held when the answer is near, from its arrival, in milliseconds. Scripts hang up after 3 s. */
const holdMilliseconds = 1_400;

/** A discovery that has just started and knows nothing. */
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

    /** Resolves at the next change of memory, or after the time given. */
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
        const news =
            next.waiting.size > state.waiting.size ||
            next.founder !== state.founder ||
            next.formed !== state.formed ||
            next.joining?.member !== state.joining?.member;
        state = next;
        if (news) {
            for (const wake of [...watchers]) {
                wake();
            }
        }
    }

    return {
        async answer(ask, isGone) {
            const deadline = ports.now() + holdMilliseconds;
            for (;;) {
                const facts = await gather();
                if (isGone()) {
                    return { kind: "wait", reason: `${ask.member} hung up`, patient: false };
                }
                const decision = decide(state, ask, facts);
                remember(decision.state);
                const left = deadline - ports.now();
                if (decision.answer.kind === "start" || !decision.answer.patient || left <= 0) {
                    return decision.answer;
                }
                await change(left);
            }
        },
        async look() {
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
