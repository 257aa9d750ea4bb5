import type { GatePorts, Progress } from "../provider/cluster/gatePorts";
import { deadHolder, removeLeftovers, type Sweeping } from "../provider/gates/removeLeftovers";
import { onItsPd } from "../provider/gates/sameCluster";
import { notKnown } from "../provider/lifecycle/vocabulary/evidence";
import type { ObservedLock } from "../provider/lifecycle/vocabulary/lock";
import type { LookOptions } from "../provider/lifecycle/vocabulary/look";
import { unknownPd } from "../provider/lifecycle/vocabulary/observation";
import { leftSettings } from "../provider/lifecycle/walks/leftSettings";
import { leftLocks } from "../provider/lifecycle/walks/leftLocks";
import { leftoversIn, lookForLeftovers } from "../provider/lifecycle/walks/leftovers";
import { isRemovable } from "../provider/lifecycle/walks/sweep";
import { openDeployed, type StatusRequest, whyPdIsNotAsked } from "../status/readStatus";
import type { StatusSources } from "../status/statusSources";
import { type ClusterSweep, sweptLeftovers } from "./clusterSweep";

/** How a cluster is swept. */
export interface SweepOrder {
    /** Whether to remove what was found. The sources must be able to change the cluster then. */
    readonly removes: boolean;
    readonly progress: Progress;
    /** Whether the user has asked to stop. */
    isInterrupted(): boolean;
}

/**
 * Finds what earlier runs left behind, and removes it if asked to. If anything is not known, nothing is removed.
 * @throws GateError if a run works on the cluster; NoSuchCluster, KubernetesApiError or ClusterAccessError if it cannot be read.
 */
export async function sweepCluster(
    request: Omit<StatusRequest, "zones">,
    sources: StatusSources,
    { removes, progress, isInterrupted }: SweepOrder,
): Promise<ClusterSweep> {
    const { namespace, cluster } = request;
    const { deployed, pd, ports: opened } = await openDeployed(request, sources);
    const ports: GatePorts = { ...onItsPd(opened), progress };
    const sweeping: Sweeping = { cluster: `${namespace}/${cluster}`, isInterrupted };
    const look = lookForLeftovers(deployed.components, pd !== undefined);
    const dead = await deadHolder(ports, sweeping);
    const pdNotAsked = whyPdIsNotAsked(deployed, pd);
    const before = await leftoversNow(ports, look, pdNotAsked, dead);
    let failure: string | null = null;
    let after: typeof before | undefined;
    if (removes && before.notKnown.length === 0 && before.found.some(isRemovable)) {
        failure = await removeLeftovers(ports, look, sweeping).then(
            () => (isInterrupted() ? "interrupted; run the command again, it continues" : null),
            (error: Error) => error.message,
        );
        const left = (await ports.lease())?.lock;
        after = await leftoversNow(ports, look, pdNotAsked, left?.holder === dead?.holder ? left : undefined);
    }
    return {
        name: cluster,
        namespace,
        kubernetes: sources.kubernetes,
        at: new Date(before.at).toISOString(),
        leftovers: sweptLeftovers(before.found, after?.found),
        notKnown: after?.notKnown ?? before.notKnown,
        failure,
    };
}

/**
 * @param pdNotAsked why PD was not asked; undefined if it was.
 * @param dead the lock of a dead run.
 */
async function leftoversNow(
    ports: GatePorts,
    look: LookOptions,
    pdNotAsked: string | undefined,
    dead: ObservedLock | undefined,
) {
    const seen = await ports.look(look);
    const observation = pdNotAsked === undefined ? seen : { ...seen, pd: unknownPd(notKnown(pdNotAsked)) };
    const { found, notKnown: unclear } = leftoversIn(observation);
    const all = [...found, ...leftSettings(observation), ...leftLocks(observation, dead)];
    return { at: observation.now, found: all, notKnown: unclear };
}
