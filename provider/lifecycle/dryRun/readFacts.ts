import { foreseen } from "../vocabulary/actions/foreseen";
import { counted } from "../vocabulary/counted";
import { type Fact, notAsked } from "../vocabulary/evidence";
import type { Memory } from "../vocabulary/memory";
import type { Observation, ObservedMember, ObservedPd, ObservedPod } from "../vocabulary/observation";
import { hasOtherRevision } from "../vocabulary/revision";

/** A part of PD's state, or of what Kubernetes has of a member, that a decision reads. */
export interface ReadFact {
    readonly part: string;
    /** What it shows, in short. Default: the part is too large for that. */
    readonly shows?: string;
    /** Its source and its age, in milliseconds, as far as that is known; or why it is not known. */
    readonly is: { readonly from: string; readonly age?: number } | { readonly notKnown: string };
}

/**
 * @param readAt when the live cluster was last read. What is foreseen has no age.
 * @returns what a decision reads. It is made again for that: it depends on nothing else.
 */
export function readsOf(
    decide: (seen: Observation, memory: Memory) => unknown,
    seen: Observation,
    memory: Memory,
    readAt: number,
): ReadFact[] {
    const pd = recorded(seen.pd);
    const members = recordedMembers(seen.members);
    decide({ ...seen, pd: pd.part, members: members.part }, memory);
    return [...factsOfMembers(members.read, readAt), ...factsOfPd(seen, pd.read)];
}

/** @returns the object for one decision, and the names of the fields that it has read. */
function recorded<Part extends object>(of: Part): { readonly part: Part; readonly read: ReadonlySet<keyof Part> } {
    const read = new Set<keyof Part>();
    const get = (from: Part, field: keyof Part & string) => {
        read.add(field);
        return from[field];
    };
    return { part: new Proxy(of, { get: get as ProxyHandler<Part>["get"] }), read };
}

interface ReadMember {
    readonly member: ObservedMember;
    readonly fields: ReadonlySet<keyof ObservedMember>;
    readonly ofPods: readonly ReadonlySet<keyof ObservedPod>[];
}

/** The members for one decision, and what it has read of each. */
function recordedMembers(members: Observation["members"]) {
    const all = Object.values(members).map((member) => {
        const pods = member.pods.map(recorded);
        const { part, read: fields } = recorded({ ...member, pods: pods.map((pod) => pod.part) });
        return { part, read: { member, fields, ofPods: pods.map(({ read }) => read) } };
    });
    const part: Observation["members"] = Object.fromEntries(all.map((one) => [one.part.component, one.part]));
    return { part, read: all.map(({ read }) => read) };
}

/** What another object than the pod itself shows: its node. */
const ofNode = ["drain", "room", "zone", "nodeLabels", "death"] as const;

function factsOfMembers(all: readonly ReadMember[], readAt: number): ReadFact[] {
    return all.flatMap(({ member, fields, ofPods }): ReadFact[] => {
        const { component, pods, claims, statefulSet } = member;
        const fromApi = { is: { from: "the API server" } };
        const isRead = (index: number) => ofPods[index].size > 0;
        const read = pods.filter((_, index) => isRead(index));
        const onNodes = pods.filter(({ node }, index) => node && ofNode.some((field) => ofPods[index].has(field)));
        return [
            ...(fields.has("statefulSet") && statefulSet
                ? [{ part: `StatefulSet ${statefulSet.name}`, shows: replicasOf(statefulSet), ...fromApi }]
                : []),
            ...(read.length > 0 ? [{ part: `pods of ${component}`, ...showsPods(read, member, readAt) }] : []),
            ...(fields.has("claims") && claims.length > 0
                ? [{ part: `claims of ${component}`, shows: claimsInWords(claims), ...fromApi }]
                : []),
            ...(onNodes.length > 0 ? [{ part: `nodes of ${component}`, ...showsNodes(onNodes, readAt) }] : []),
        ];
    });
}

function replicasOf({ replicas, settled }: NonNullable<ObservedMember["statefulSet"]>): string {
    return `${counted(replicas, "replica")}${settled ? "" : ", its controller has not seen the newest template"}`;
}

function showsPods(pods: readonly ObservedPod[], { statefulSet }: ObservedMember, readAt: number) {
    const ready = pods.filter((pod) => pod.ready && !pod.terminating).length;
    const stale = pods.filter((pod) => hasOtherRevision(pod, statefulSet)).length;
    const shows = `${ready} of ${pods.length} Ready, ${stale} on an older revision`;
    return {
        shows,
        is: sourcesOf(
            pods.map(({ container }) => container),
            readAt,
        ),
    };
}

function claimsInWords(claims: ObservedMember["claims"]): string {
    const of = (words: string, count: number) => (count === 0 ? "" : `, ${count} ${words}`);
    const deleted = claims.filter(({ terminating }) => terminating).length;
    const released = claims.filter((claim) => claim.released).length;
    return `${claims.length}${of("being deleted", deleted)}${of("released", released)}`;
}

function showsNodes(pods: readonly ObservedPod[], readAt: number) {
    const emptied = pods.filter(({ drain }) => drain?.known && drain.value.isDrained).map(({ node }) => node);
    const nodes = new Set(pods.map(({ node }) => node)).size;
    return {
        shows: `${nodes}${emptied.length === 0 ? "" : `, ${new Set(emptied).size} being emptied`}`,
        is: sourcesOf(
            pods.flatMap((pod) => ofNode.flatMap((field) => (field === "death" ? [] : (pod[field] ?? [])))),
            readAt,
        ),
    };
}

/** @returns all sources of the facts, and the age of the oldest that was observed. */
function sourcesOf(facts: readonly Fact<unknown>[], readAt: number): { from: string; age?: number } {
    const known = facts.flatMap((fact) => (fact.known ? [fact] : []));
    const from = [...new Set(known.map((fact) => fact.from))].join(" and ") || "the API server";
    const ages = known.flatMap(({ from: source, at }) => (source === foreseen ? [] : [Math.max(0, readAt - at)]));
    return ages.length === 0 ? { from } : { from, age: Math.max(...ages) };
}

function factsOfPd(seen: Observation, read: ReadonlySet<keyof ObservedPd>): ReadFact[] {
    return [...read].flatMap((part): ReadFact[] => {
        const fact = seen.pd[part] as Fact<unknown> | undefined;
        if (fact?.known === undefined || fact === notAsked) {
            return [];
        }
        return [{ part, is: fact.known ? { from: fact.from, age: seen.now - fact.at } : { notKnown: fact.why } }];
    });
}
