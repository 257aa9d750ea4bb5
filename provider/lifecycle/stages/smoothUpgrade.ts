import { imageTag } from "../../../topology/imageVersion";
import type { LeftBehind, LeftOpen } from "../vocabulary/memberLifecycle";
import type { Observation, ObservedPod } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { isSwitchedUpgrade, type UpgradedServers } from "../vocabulary/smoothUpgrade";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { isStopped } from "./stores";
import { notAsked } from "../vocabulary/evidence";
import type { Look } from "../vocabulary/look";

/**
 * When TiDB is told that it is being upgraded. `finish` lets the DDL statements of users go on, so it must not come before the last server
 * of the earlier version is gone (pingcap/tidb-operator#7067). It is for all servers on the PD, of whichever TidbCluster: which versions they
 * have, TiDB itself says.
 */

const lookAtUpgrade: Look = { asks: ["upgrade-state"] };

/** @returns the versions between which the pod is upgraded, if TiDB must be told of it. */
function upgradeOf({ pod, target, member }: PodView): { from: string; to: string } | undefined {
    const image = member.statefulSet?.image;
    const to = target.tag ?? (image === undefined ? undefined : imageTag(image));
    const from = pod?.image === undefined ? undefined : imageTag(pod.image);
    return from !== undefined && to !== undefined && isSwitchedUpgrade(from, to) ? { from, to } : undefined;
}

/**
 * TiDB says, right before each restart into a later version, that it is being upgraded. A pod whose process does not run is restarted
 * without it while no server is Ready: nobody could answer, and nobody executes DDL.
 */
export const upgradeStarted: Stage = {
    name: "upgrade-started",
    holds: (view) => {
        const nobodyServes = !view.member.pods.some(({ ready, terminating }) => ready && !terminating);
        if (upgradeOf(view) === undefined || (isStopped(view) && nobodyServes)) {
            return true;
        }
        const state = stateIn(view.observation);
        if (!state.known) {
            return lacksFact(state, "TiDB's state of being upgraded is", lookAtUpgrade);
        }
        if (state.value.state !== "upgrading") {
            return { lacks: "TiDB has not been told that it is being upgraded" };
        }
        // The last of the TidbClusters on this PD finishes it.
        const { smoothUpgrade } = view.observation.records;
        return smoothUpgrade !== undefined || !hasOthers(state.value.servers)
            ? true
            : { lacks: "that TiDB is being upgraded is not on this cluster's record" };
    },
    act: (view) => {
        const state = stateIn(view.observation);
        const upgrade = upgradeOf(view);
        return state.known && upgrade
            ? { do: "start-upgrade", pod: state.value.pod, uid: state.value.uid, ...upgrade }
            : undefined;
    },
    advice: "check `curl -X POST http://<TiDB>:10080/upgrade/show` and TiDB's log, then run `pulumi up` again: no TiDB pod was restarted without it",
};

/** @returns whether servers of another TidbCluster are on the PD. */
function hasOthers({ list }: UpgradedServers): boolean {
    return list.some(({ isOurs }) => !isOurs);
}

function stateIn(observation: Observation) {
    return observation.tidbUpgrade ?? notAsked;
}

/** @returns a pod of TiDB that may still run the version from before the upgrade: none of these may see DDL of users go on. */
export function podBeforeUpgrade({ members }: Observation): string | undefined {
    const { statefulSet, pods = [] } = members.tidb ?? {};
    if (statefulSet?.updateRevision === undefined || !statefulSet.settled) {
        return pods[0]?.name ?? "the StatefulSet";
    }
    const left = pods.find((pod) => (pod.revision !== statefulSet.updateRevision || pod.terminating) && mayServe(pod));
    return left?.name;
}

function mayServe({ ready, container }: ObservedPod): boolean {
    return ready || !container.known || container.value.is === "running";
}

/**
 * @returns how to finish a smooth upgrade that this cluster's runs have begun, once no server of the earlier version is left. What
 * somebody else has begun has no record, and is theirs to finish.
 */
export function finishUpgrade(
    observation: Observation,
    target?: Pick<MemberTarget, "replicas">,
): LeftBehind | undefined {
    // Without a server nobody can be told. The record stays until there is one again.
    if (observation.records.smoothUpgrade === undefined || target?.replicas === 0) {
        return undefined;
    }
    const before = podBeforeUpgrade(observation);
    if (before !== undefined) {
        return { lacks: `the smooth upgrade of TiDB cannot be finished: ${before} may still run the earlier version` };
    }
    return toldToFinish(observation);
}

function toldToFinish(observation: Observation): LeftBehind {
    const state = stateIn(observation);
    if (!state.known) {
        return state === notAsked
            ? { look: lookAtUpgrade }
            : { lacks: `whether TiDB has finished its smooth upgrade is not known: ${state.why}` };
    }
    if (state.value.state !== "upgrading") {
        return { action: { do: "forget-upgrade" } };
    }
    const { pod, uid, servers } = state.value;
    // No pod of this cluster runs another version any more: such a server under one's name was killed.
    const image = observation.members.tidb?.pods.find(({ name }) => name === pod)?.image ?? "";
    const differ = servers.list.filter(({ isOurs, version }) => !isOurs && !version.endsWith(`-${imageTag(image)}`));
    return servers.percent === 100 || differ.length === 0
        ? { action: { do: "finish-upgrade", pod, uid } }
        : {
              stays: `the DDL statements of users stay paused: TiDB servers of other TidbClusters on this PD have another version: ${differ.map(({ address, version }) => `${address} (${version})`).join(", ")}. The update that upgrades the last of them finishes the smooth upgrade. One that was killed is listed for ten minutes: run \`pulumi up\` again after that. If they are to keep their version, ${finishByHand}`,
          };
}

/** Where nobody of this cluster can be told, or the server of another TidbCluster on this PD is. */
export const finishByHand = "send it by hand: curl -X POST http://<TiDB>:10080/upgrade/finish";

/**
 * @returns how a smooth upgrade ends before all servers are deleted. While servers of one version are left, of whichever, it is
 * finished, because PD's data outlives them and says that DDL is paused. Undefined if it cannot be: servers of two versions are
 * left, here or in another TidbCluster on the PD, or none that is Ready.
 */
export function finishBeforeDestroy(observation: Observation): LeftBehind | undefined {
    const servers = (observation.members.tidb?.pods ?? []).filter(mayServe);
    const images = new Set(servers.map(({ image }) => image));
    const isOneVersion = images.size === 1 && !images.has(undefined);
    const end =
        isOneVersion && servers.some(({ ready, terminating }) => ready && !terminating)
            ? toldToFinish(observation)
            : undefined;
    return end && "stays" in end ? undefined : end;
}

/** The same before TiDB leaves the program, or has no replicas. What cannot be finished stays on record until TiDB is back. */
export function finishBeforeNoneLeft(observation: Observation): LeftBehind | undefined {
    return observation.records.smoothUpgrade === undefined ? undefined : finishBeforeDestroy(observation);
}

/** @returns the smooth upgrade that an earlier run has begun, for the plan. */
export function openUpgrade({ records: { smoothUpgrade }, members, cluster }: Observation): LeftOpen[] {
    return smoothUpgrade === undefined
        ? []
        : [
              {
                  pod: members.tidb?.pods[0]?.name ?? `${cluster}-tidb-0`,
                  why: `an earlier run has begun TiDB's smooth upgrade from ${smoothUpgrade.from} to ${smoothUpgrade.to}`,
                  atEnd: true,
              },
          ];
}
