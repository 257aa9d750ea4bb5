import { KubernetesApiError } from "../cluster/apiCall";
import { type PdTrouble, unreachablePd } from "../lifecycle/vocabulary/observation";
import type { GatePorts } from "../cluster/gatePorts";

/**
 * How long a check remembers that the API server or PD did not answer. The gates of a cluster are checked one at a time:
 * without this, each would wait for the same timeouts, and a preview would take minutes to report an unreachable cluster.
 */
const rememberedMilliseconds = 30_000;

/** What did not answer the checks of one cluster, and when. Forgotten as soon as a gate acts, because it asks again. */
export interface Unreachable {
    kubernetes?: { error: KubernetesApiError; at: number };
    pd?: { trouble: PdTrouble; at: number };
}

/** @returns ports for checks that do not ask again what was unreachable a moment ago. */
export function rememberUnreachable(ports: GatePorts, unreachable: Unreachable): GatePorts {
    const recent = <T extends { at: number }>(one: T | undefined) =>
        one !== undefined && ports.now() - one.at < rememberedMilliseconds ? one : undefined;
    const ask = async <T>(call: () => Promise<T>): Promise<T> => {
        const known = recent(unreachable.kubernetes);
        if (known) {
            throw known.error;
        }
        try {
            return await call();
        } catch (error) {
            if (error instanceof KubernetesApiError && error.status === undefined) {
                unreachable.kubernetes = { error, at: ports.now() };
            }
            throw error;
        }
    };
    return {
        ...ports,
        lease: () => ask(() => ports.lease()),
        look: (options) =>
            ask(async () => {
                const known = options.pd.length > 0 ? recent(unreachable.pd) : undefined;
                if (known) {
                    const { why, isFinal } = known.trouble;
                    return { ...(await ports.look({ ...options, pd: [] })), ...unreachablePd(why, isFinal) };
                }
                const observation = await ports.look(options);
                if (observation.pdTrouble !== undefined) {
                    unreachable.pd = { trouble: observation.pdTrouble, at: ports.now() };
                }
                return observation;
            }),
    };
}
