import type { Ask, Decision, DiscoveryState, Facts, ListedMember } from "./model";

/**
 * What discovery answers to a PD pod that asks how to start, as a pure function of what is known.
 *
 * A PD pod asks only when its volume holds neither `member/wal` nor a `join` file, so an ask is proof that the member has
 * no data and is not running. The rules, and what they guarantee:
 *
 * 1. Where any PD answers with its members, the asker joins them. One after the other: PD takes in one at a time.
 * 2. Only one member may ever form the cluster: the lowest ordinal, not the last one to ask (tidb-operator's rule). Two
 *    discoveries that overlap for a moment, or one after a restart, hence never name two different members.
 * 3. It is told so only after every ordinal that the StatefulSet has or wants has asked this very process within
 *    `freshMilliseconds` and was told to wait. A discovery that restarts knows nothing and starts to collect anew: a
 *    member that was told by the one before, and is about to start, or has data, does not ask; so the set stays incomplete.
 * 4. Once any PD was seen, nobody is told to form a cluster again for as long as this process lives, also when no PD
 *    answers: members without an answer are most likely down with their data, and a second cluster would split the brain.
 *    The first member is told again only as long as no PD was ever seen: it lost its start.
 *
 * Guaranteed, in any interleaving of asks, lost answers, crashes, lost volumes and restarts of discovery: no member is told
 * to form a cluster while another member that the StatefulSet has or wants holds data. Not covered: a volume that holds
 * data while its ordinal is scaled away without PD's consent (the gates do not do that); a pod forced away while it still
 * runs; two discoveries at once while a volume is lost. Where every member's volume is lost, the cluster is formed anew only
 * after discovery was restarted by hand, as its answer says.
 */
export function decide(state: DiscoveryState, ask: Ask, facts: Facts): Decision {
    const pd = facts.pd;
    switch (pd.kind) {
        case "members":
            return join(pd.own ? { ...state, formed: true } : state, ask, pd.members, facts.now);
        case "present":
            return wait(
                pd.own ? { ...state, formed: true } : state,
                `a PD exists but does not list its members: ${pd.detail}`,
            );
        case "none":
            return form(state, ask, facts, pd.detail);
    }
}

/** How long an ask counts as proof that a member has no data, in milliseconds: twice the longest pause of a start script. */
export const freshMilliseconds = 15_000;
/** How long the others wait for a member that was told to join and does not come, in milliseconds. */
export const joinMilliseconds = 10_000;
/**
 * How long the others wait once it is there, in milliseconds: etcd in PD takes in no member before all are connected for
 * 5 s ("etcdserver: unhealthy cluster"), and pd-server then ends with an error and is restarted.
 */
export const settleMilliseconds = 5_500;

function wait(state: DiscoveryState, reason: string, patient = false): Decision {
    return { state, answer: { kind: "wait", reason, patient } };
}

function start(state: DiscoveryState, ask: Ask, argument: string): Decision {
    const waiting = new Map(state.waiting);
    waiting.delete(ask.member);
    return { state: { ...state, waiting }, answer: { kind: "start", argument } };
}

function join(state: DiscoveryState, ask: Ask, listed: readonly ListedMember[], now: number): Decision {
    const isStarted = (member: ListedMember) => member.name !== "" && member.clientUrls.length > 0;
    const others = listed.filter((member) => member.name !== ask.member && member.name !== ask.host);
    const targets = others.some(isStarted) ? others.filter(isStarted) : others;
    const urls = targets.flatMap((member) => member.peerUrls.slice(0, 1)).map(clientUrlOfPeer);
    if (urls.length === 0) {
        return wait(state, `PD lists no member but ${ask.member} itself, which has no data: nobody to join`);
    }
    const joining = state.joining;
    if (joining && joining.member !== ask.member) {
        const isThere = listed.some((member) => isStarted(member) && member.name.split(".")[0] === joining.member);
        const thereAt = isThere ? (joining.thereAt ?? now) : undefined;
        const left = isThere ? (thereAt ?? now) + settleMilliseconds - now : joining.at + joinMilliseconds - now;
        if (left > 0) {
            const next = { ...state, joining: { ...joining, thereAt } };
            return wait(next, `${joining.member} is joining; PD takes in one member at a time`);
        }
    }
    return start({ ...state, joining: { member: ask.member, at: now } }, ask, `--join=${urls.join(",")}`);
}

function clientUrlOfPeer(peerUrl: string): string {
    return peerUrl.replace(/:2380$/, ":2379");
}

function form(state: DiscoveryState, ask: Ask, facts: Facts, detail: string): Decision {
    const { cluster, ordinals, now } = facts;
    const joining = state.joining;
    if (joining && now - joining.at < 6 * joinMilliseconds) {
        return wait(state, `PD does not answer (${detail}), as it may be while ${joining.member} joins`);
    }
    if (state.formed) {
        return wait(
            state,
            `PD of ${cluster.name} was seen before and does not answer now (${detail}). No second cluster is formed: ` +
                "bring its members back. Only if the volumes of all of them are lost, delete the pod of discovery",
        );
    }
    if (cluster.joinsAnother) {
        return wait(state, `the PD to join does not answer (${detail})`);
    }
    if ("problem" in ordinals) {
        return wait(state, `how many PD members there should be is not known: ${ordinals.problem}`);
    }
    if (!ordinals.ordinals.includes(ask.ordinal)) {
        return wait(state, `${ask.member} is none of the StatefulSet's ${ordinals.ordinals.length} replicas`);
    }
    const waiting = new Map(state.waiting).set(ask.member, now);
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
            ask.member === founder,
        );
    }
    if (ask.member !== founder) {
        return wait(asked, `every member has asked; ${founder} forms the cluster, the others join it`);
    }
    const argument =
        cluster.pdAddresses.length > 0
            ? `--join=${cluster.pdAddresses.join(",")}`
            : `--initial-cluster=${cluster.namedByHost ? ask.host : ask.member}=${cluster.scheme}://${ask.host}:2380`;
    return start({ ...asked, founder }, ask, argument);
}
