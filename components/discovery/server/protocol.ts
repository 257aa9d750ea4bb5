import type { Decision, DiscoveryState, Facts, ListedMember, StartRequest } from "./model";

/**
 * Decides the answer to a PD pod that asks how to start. It is a pure function of the state and the facts.
 *
 * A PD pod asks only if its volume contains neither `member/wal` nor a `join` file, so a request proves that the member has
 * no data and is not running. The rules:
 *
 * 1. If any PD lists its members, the pod joins them. Pods join one at a time, because PD accepts only one new member at a
 *    time.
 * 2. Only one member may ever form the cluster: the one with the lowest ordinal (in tidb-operator, the last one to ask). So
 *    two discoveries that overlap for a moment, or a restarted one, never name two different members.
 * 3. That member is told to form the cluster only after every existing or desired ordinal of the StatefulSet has asked this
 *    process within `freshMilliseconds` and was told to wait. A restarted discovery has an empty state and starts over: a
 *    member that was already told to start, or that has data, does not ask, so the set stays incomplete.
 * 4. Once any PD has answered, this process never tells a member to form a cluster again, even if no PD answers: the members
 *    are most likely down and still have their data, and a second cluster would cause a split brain. As long as no PD has
 *    ever answered, the first member is told again: it may have failed to start.
 *
 * The guarantee: no member is told to form a cluster while another existing or desired member of the StatefulSet has data.
 * It holds for any interleaving of requests, lost answers, crashes, lost volumes and restarts of discovery. It does not
 * cover a volume with data whose ordinal was scaled in without PD's consent (the gates do not do that), a pod that was
 * force-deleted while it still runs, and two discoveries at the same time while a volume is lost. If the volumes of all
 * members are lost, the cluster is formed again only after discovery was restarted manually, as its answer says.
 */
export function decide(state: DiscoveryState, request: StartRequest, facts: Facts): Decision {
    const pd = facts.pd;
    switch (pd.kind) {
        case "members":
            return join(pd.own ? { ...state, formed: true } : state, request, pd.members, facts.now);
        case "present":
            return wait(
                pd.own ? { ...state, formed: true } : state,
                `a PD exists but does not list its members: ${pd.detail}`,
            );
        case "none":
            return form(state, request, facts, pd.detail);
    }
}

/** How long a request proves that a member has no data, in milliseconds: twice the longest pause of a start script. */
export const freshMilliseconds = 15_000;
/** How long the other members wait for a member that was told to join and has not started, in milliseconds. */
export const joinMilliseconds = 10_000;
/**
 * How long the other members wait after it has started, in milliseconds. PD's etcd accepts a new member only after all
 * members have been connected for 5 s ("etcdserver: unhealthy cluster"). Before that, pd-server exits with an error and is
 * restarted.
 */
export const settleMilliseconds = 5_500;

function wait(state: DiscoveryState, reason: string, mayHold = false): Decision {
    return { state, answer: { kind: "wait", reason, mayHold } };
}

function start(state: DiscoveryState, request: StartRequest, argument: string): Decision {
    const waiting = new Map(state.waiting);
    waiting.delete(request.member);
    return { state: { ...state, waiting }, answer: { kind: "start", argument } };
}

function join(state: DiscoveryState, request: StartRequest, listed: readonly ListedMember[], now: number): Decision {
    const isStarted = (member: ListedMember) => member.name !== "" && member.clientUrls.length > 0;
    const others = listed.filter((member) => member.name !== request.member && member.name !== request.host);
    const targets = others.some(isStarted) ? others.filter(isStarted) : others;
    const urls = targets.flatMap((member) => member.peerUrls.slice(0, 1)).map(clientUrlOfPeer);
    if (urls.length === 0) {
        return wait(state, `${request.member} has no data, and PD lists no other member that it could join`);
    }
    const joining = state.joining;
    if (joining && joining.member !== request.member) {
        const isThere = listed.some((member) => isStarted(member) && member.name.split(".")[0] === joining.member);
        const thereAt = isThere ? (joining.thereAt ?? now) : undefined;
        const left = isThere ? (thereAt ?? now) + settleMilliseconds - now : joining.at + joinMilliseconds - now;
        if (left > 0) {
            const next = { ...state, joining: { ...joining, thereAt } };
            return wait(next, `${joining.member} is joining; PD accepts one new member at a time`);
        }
    }
    return start({ ...state, joining: { member: request.member, at: now } }, request, `--join=${urls.join(",")}`);
}

function clientUrlOfPeer(peerUrl: string): string {
    return peerUrl.replace(/:2380$/, ":2379");
}

function form(state: DiscoveryState, request: StartRequest, facts: Facts, detail: string): Decision {
    const { cluster, ordinals, now } = facts;
    const joining = state.joining;
    if (joining && now - joining.at < 6 * joinMilliseconds) {
        return wait(state, `PD does not answer (${detail}); this can happen while ${joining.member} joins`);
    }
    if (state.formed) {
        return wait(
            state,
            `PD of ${cluster.name} has answered before and does not answer now (${detail}). No second cluster is formed: ` +
                "bring its members back. Only if the volumes of all members are lost, delete the discovery pod",
        );
    }
    if (cluster.joinsAnother) {
        return wait(state, `the PD to join does not answer (${detail})`);
    }
    if ("problem" in ordinals) {
        return wait(state, `could not read how many PD members there should be: ${ordinals.problem}`);
    }
    if (!ordinals.ordinals.includes(request.ordinal)) {
        return wait(state, `${request.member} is not one of the StatefulSet's ${ordinals.ordinals.length} replicas`);
    }
    const waiting = new Map(state.waiting).set(request.member, now);
    const asked = { ...state, waiting };
    const nameOf = (ordinal: number) => `${cluster.name}-pd-${ordinal}`;
    const missing = ordinals.ordinals.map(nameOf).filter((name) => {
        const at = waiting.get(name);
        return at === undefined || now - at > freshMilliseconds;
    });
    const founder = state.founder ?? nameOf(ordinals.ordinals[0]);
    if (missing.length > 0) {
        return wait(
            asked,
            `no PD answers (${detail}), and not every member has asked yet: waiting for ${missing.join(", ")}`,
            request.member === founder,
        );
    }
    if (request.member !== founder) {
        return wait(asked, `every member has asked; ${founder} forms the cluster, the others join it`);
    }
    const argument =
        cluster.pdAddresses.length > 0
            ? `--join=${cluster.pdAddresses.join(",")}`
            : `--initial-cluster=${cluster.namedByHost ? request.host : request.member}=${cluster.scheme}://${request.host}:2380`;
    return start({ ...asked, founder }, request, argument);
}
