import type { ClusterAccess } from "../cluster/access";
import { loadKubeConfig } from "../cluster/kubeConfig";
import type { GatePorts, Progress } from "../cluster/gatePorts";
import { ClusterSession } from "../cluster/session";
import type { GatePlan } from "../lifecycle/walks/planReport";
import type { CommonInputs } from "./gateDefinition";
import { createProgress } from "./progress";
import { rememberUnreachable, type Unreachable } from "./unreachable";

const sessions = new Map<string, Promise<ClusterSession>>();
const unreachableBySession = new WeakMap<ClusterSession, Unreachable>();

/**
 * The plans that previews found in this process: by cluster, and for each cluster by the URN of the gate, in the order of
 * the checks. One process serves all gates of a stack, whose preview may have several clusters.
 */
export type FoundPlans = Map<string, Map<string, GatePlan>>;

/** How a gate reaches its cluster and the user. */
export interface GateWorld {
    plans: FoundPlans;
    /** Messages on the gate's line, without reading its cluster. */
    progress(inputs: CommonInputs): Progress;
    /** @throws ClusterAccessError if `access` leads to no cluster. */
    tryAccess(access: ClusterAccess): Promise<unknown>;
    /** @param use what the ports are for. Many checks come together and do not ask again what was unreachable a moment ago. */
    open(inputs: CommonInputs, use: "check" | "effect"): Promise<GatePorts>;
}

export const liveWorld: GateWorld = {
    plans: new Map(),
    progress: (inputs) => createProgress(inputs.statusUrn),
    tryAccess: (access) => loadKubeConfig(access),
    open: async (inputs, use) => {
        const session = await sessionOf(inputs);
        const unreachable: Unreachable = (use === "check" && unreachableBySession.get(session)) || {};
        unreachableBySession.set(session, unreachable);
        const ports = session.ports(createProgress(inputs.statusUrn));
        return use === "check" ? rememberUnreachable(ports, unreachable) : ports;
    },
};

function sessionOf(inputs: CommonInputs): Promise<ClusterSession> {
    const { access, namespace, cluster, instance, domain, pd, leaseUid } = inputs;
    const key = JSON.stringify([access, namespace, cluster, instance, domain, pd, leaseUid]);
    const session = sessions.get(key) ?? ClusterSession.open(access, { namespace, cluster, instance, domain }, pd);
    sessions.set(key, session);
    session.catch(() => sessions.delete(key));
    return session;
}
