import { KubernetesApiError } from "../cluster/apiCall";
import { type PdTrouble, unreachablePd } from "../lifecycle/vocabulary/observation";
import type { GatePorts } from "../cluster/gatePorts";

/**
 * How long a check remembers that the API server or PD did not answer. The gates of a cluster are checked one at a time:
 * without this, each would wait for the same timeouts, and a preview would take minutes to report an unreachable cluster.
 */
const rememberedMilliseconds = 30_000;

/** The API server did not answer an earlier gate of the cluster a moment ago, or did not accept its login. That gate has reported it. */
export class ReportedUnreachable extends KubernetesApiError {
    constructor(cause: KubernetesApiError, gate: string) {
        const why = cause.status === undefined ? "does not answer" : "does not accept the login";
        super(`the API server ${why}: see the warning of ${gate}`, undefined, { cause });
    }
}

/** What did not answer the checks of one cluster, and when. Forgotten as soon as a gate acts, because it asks again. */
export interface Unreachable {
    kubernetes?: { error: KubernetesApiError; at: number; urn: string };
    pd?: { trouble: PdTrouble; at: number };
}

/**
 * @param urn the gate's URN. It gets the error itself; the gates after it get a ReportedUnreachable.
 * @returns ports for checks that do not ask again what was unreachable a moment ago.
 */
export function rememberUnreachable(ports: GatePorts, unreachable: Unreachable, urn: string): GatePorts {
    const recent = <T extends { at: number }>(one: T | undefined) =>
        one !== undefined && ports.now() - one.at < rememberedMilliseconds ? one : undefined;
    const ask = async <T>(call: () => Promise<T>, isForWords = false): Promise<T> => {
        const known = recent(unreachable.kubernetes);
        if (known) {
            throw known.urn === urn ? known.error : new ReportedUnreachable(known.error, nameIn(known.urn));
        }
        try {
            return await call();
        } catch (error) {
            // What words alone depend on, the gate does without, so nobody would be told.
            if (error instanceof KubernetesApiError && error.isOfEveryCall && !isForWords) {
                unreachable.kubernetes = { error, at: ports.now(), urn };
            }
            throw error;
        }
    };
    return {
        ...ports,
        silence: () => {
            const known = recent(unreachable.kubernetes);
            return known && new ReportedUnreachable(known.error, nameIn(known.urn));
        },
        lease: () => ask(() => ports.lease()),
        look: (options, lag) =>
            ask(async () => {
                const known = options.pd.length > 0 ? recent(unreachable.pd) : undefined;
                if (known) {
                    const { why, isFinal } = known.trouble;
                    return { ...(await ports.look({ ...options, pd: [] }, lag)), ...unreachablePd(why, isFinal) };
                }
                const observation = await ports.look(options, lag);
                if (observation.pdTrouble !== undefined) {
                    unreachable.pd = { trouble: observation.pdTrouble, at: ports.now() };
                }
                return observation;
            }, options.isForWords),
    };
}

/** @returns the resource's name, the last part of its URN. */
export function nameIn(urn: string): string {
    return urn.split("::").at(-1) ?? urn;
}
