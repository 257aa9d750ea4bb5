import type { Microservice } from "../../../topology/members";
import { claimsReleased } from "../stages/claims";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import type { Action } from "../vocabulary/actions";
import type { ObservedMicroservice, ObservedServer } from "../vocabulary/observation";
import type { PodView, Stage } from "../vocabulary/stage";
import { isStopped } from "../stages/stores";

/**
 * The rules of PD's microservices. Facts from tidb-operator pkg/manager/member/pd_ms_upgrader.go and pd_ms_scaler.go. Unlike
 * tidb-operator, we verify that the primary has moved.
 */

function serviceOf(view: PodView): ObservedMicroservice | undefined {
    const service = view.pd.microservices[view.target.component as Microservice];
    return service?.known ? service.value : undefined;
}

/** Nothing is decided about a server until PD has listed the servers. */
function lacksService(view: PodView): { lacks: string } | undefined {
    const service = view.pd.microservices[view.target.component as Microservice];
    return service?.known
        ? undefined
        : { lacks: `the servers of ${view.target.component} are not known: ${service?.why ?? "PD was not queried"}` };
}

function isPrimary(view: PodView): boolean {
    return serviceOf(view)?.primary?.podName === view.podName;
}

/** Servers that could take over: their pods are Ready and not about to stop, and PD knows them by name. */
function candidates(view: PodView): { ordinal: number; server: ObservedServer }[] {
    const servers = serviceOf(view)?.servers ?? [];
    return view.member.pods
        .filter((pod) => pod.ordinal !== view.ordinal && pod.ready && !pod.terminating)
        .flatMap((pod) => {
            const server = servers.find(({ podName, name }) => name !== "" && podName === pod.name);
            return server === undefined ? [] : [{ ordinal: pod.ordinal, server }];
        })
        .sort((one, other) => one.ordinal - other.ordinal);
}

/**
 * Chooses the next primary from the servers that stay and are healthy: the highest ordinal above this one (it already runs
 * the new revision), otherwise the lowest. Before version 8.3.0 servers have no names, so there is none.
 */
export function primaryTarget(view: PodView): string | undefined {
    return nextPrimary(view)?.name;
}

function nextPrimary(view: PodView): ObservedServer | undefined {
    const staying = candidates(view).filter(({ ordinal }) => ordinal < view.target.replicas);
    const above = staying.filter(({ ordinal }) => ordinal > view.ordinal).at(-1);
    return (above ?? staying[0])?.server;
}

/** Another server is the primary, verified before this one stops. If no other server can take over, this is not waited for. */
const primaryElsewhere: Stage = {
    name: "primary-elsewhere",
    holds: (view) => {
        const unknown = isStopped(view) ? undefined : lacksService(view);
        if (unknown || isStopped(view) || primaryTarget(view) === undefined) {
            return unknown ?? true;
        }
        if (serviceOf(view)?.primary === undefined) {
            return { lacks: `${view.target.component} has no primary` };
        }
        return isPrimary(view) ? { lacks: `${view.podName} is the primary of ${view.target.component}` } : true;
    },
    act: (view): Action | undefined => {
        const to = primaryTarget(view);
        return view.pod && to !== undefined && isPrimary(view)
            ? {
                  do: "transfer-primary",
                  service: view.target.component as Microservice,
                  to,
                  from: { name: view.pod.name, uid: view.pod.uid },
              }
            : undefined;
    },
    advice: "check the logs of its pods: no other server takes over",
};

/** PD lists the server, so the server has found PD and serves requests. */
const serverRegistered: Stage = {
    name: "server-registered",
    holds: (view) =>
        isRegistered(view) ||
        (lacksService(view) ?? {
            lacks: `PD does not list ${view.podName} as a server of ${view.target.component}`,
        }),
    advice: "check the pod's log: it may be unable to reach PD",
};

function isRegistered(view: PodView): boolean {
    return serviceOf(view)?.servers.some(({ podName }) => podName === view.podName) === true;
}

function microserviceLifecycle(component: Microservice): MemberLifecycle {
    return {
        component,
        leavesProgram: "scaled-in",
        field: `pdms[name: ${component}]`,
        looks: { rollout: [component], scale: [component], state: [component] },
        // PD comes later and may be what needs repair.
        withoutPd: "go-on",
        beforeRestart: [primaryElsewhere],
        afterRestart: [serverRegistered],
        beforeRemoval: [primaryElsewhere, claimsReleased],
        afterRemovalTakenBack: [],
        refuseReplicas: () => undefined,
        lacks: (view) =>
            serviceOf(view) === undefined || isRegistered(view)
                ? undefined
                : `wait for ${view.podName}: PD does not list it as a server of ${component}`,
        // It needs PD to start, and PD comes later. On a first deployment the cluster's last gate waits for it.
        available: () => undefined,
        startWaitsFor: "registered in PD",
        restartRisk: (view) =>
            isPrimary(view) && primaryTarget(view) === undefined
                ? `${component} has no primary until another server takes over`
                : undefined,
    };
}

export const tsoLifecycle = microserviceLifecycle("tso");
export const schedulingLifecycle = microserviceLifecycle("scheduling");
