import type { V1ControllerRevision, V1Pod, V1StatefulSet } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { templateRevisionAnnotation } from "../../topology/annotations";
import { componentLabel, instanceLabel } from "../../topology/labels";
import type { Component } from "../../topology/members";
import { memberName } from "../../topology/names";
import { claimOrdinal, labelledClaimOrdinal, podOrdinal } from "../../topology/podNames";
import type { Room } from "../lifecycle/vocabulary/drain";
import { type Fact, known, mapFact } from "../lifecycle/vocabulary/evidence";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { SpreadConstraint } from "../lifecycle/vocabulary/spread";
import { type BoundVolume, getsPolicy } from "../lifecycle/vocabulary/boundVolume";
import type { VolumePlace } from "../lifecycle/vocabulary/volumePlace";
import type { ObservedClaim, ObservedMember } from "../lifecycle/vocabulary/observation";
import { hasOtherRevision } from "../lifecycle/vocabulary/revision";
import { isReady, labelsOfNode, type NodeAnswer, nodeToRead, observeRestarts } from "./containerState";
import { inGroups } from "./inGroups";
import type { ListedClaim } from "./listCalls";
import { observeDeath, readyAtLeast } from "./observeDeath";
import { observeDrain } from "./observeDrain";
import { observeClaim, observePod, observeStatefulSet } from "./observeObjects";
import type { ClusterId } from "./clusterId";
import { templateChanges } from "./templateChanges";

/** Names of the claim templates that the program wants, by member. */
export type ClaimTemplates = Partial<Record<Component, readonly string[]>>;

/** Which nodes, and what else, to read; see `LookOptions`. */
export type NodesToRead = Pick<
    LookOptions,
    | "zones"
    | "deaths"
    | "drains"
    | "rooms"
    | "roomsUnder"
    | "volumePlaces"
    | "volumesOf"
    | "revisions"
    | "claimStates"
    | "expansions"
    | "manifests"
>;

/** The reads from Kubernetes that observe members. */
export interface MemberReads {
    /** @param isWhole whether with fields that only a later version of the client knows. Default: false. */
    statefulSet(name: string, isWhole?: boolean): Promise<V1StatefulSet | undefined>;
    /** The pods of the cluster's members, found by their labels. */
    pods(components: readonly Component[]): Promise<V1Pod[]>;
    /** The pod with its `managedFields`, which a list leaves out; undefined if it is gone. */
    wholePod(name: string): Promise<V1Pod | undefined>;
    /** All claims of the namespace: claims created beforehand or restored from a backup do not have our labels. */
    claims(isWhole?: boolean): Promise<ListedClaim[]>;
    /** Never rejects: a user without the right to read nodes still sees everything that does not depend on them. */
    node(name: string): Promise<NodeAnswer>;
    /** The time by the API server's clock; undefined if it does not say. */
    time(): Promise<number | undefined>;
    /** Whether another node would take the pod, under other constraints if given. It never rejects because the API server refuses. */
    room(pod: V1Pod, at: number, under?: readonly SpreadConstraint[]): Promise<Fact<Room>>;
    /**
     * The revisions of the member's template, with the annotations that its StatefulSet had then. Not known if the API server refuses.
     * @param isNeeded whether it rejects if they cannot be read for another reason; otherwise they are not known then either.
     */
    revisions(component: Component, at: number, isNeeded: boolean): Promise<Fact<V1ControllerRevision[]>>;
    /** Whether claims of the StorageClass can grow. It never rejects because the API server refuses. */
    expands(storageClass: string, at: number): Promise<Fact<boolean>>;
    /** Where the volume of the claim is. It never rejects because the API server refuses. */
    place(claim: string, at: number): Promise<Fact<VolumePlace>>;
    /** The volume of the claim; undefined if it is not bound to one. It never rejects because the API server refuses. */
    volume(claim: ListedClaim, at: number): Promise<Fact<BoundVolume | undefined>>;
}

/** How many nodes, or claims, are read side by side. */
const readsAtOnce = 20;

/**
 * @param now the run's own clock.
 * @param also which nodes to read besides those of pods that are not Ready, or whose own container does not run.
 * @returns the members, in the order asked for. Reads one list of pods and one list of claims.
 */
export async function observeMembers(
    reads: MemberReads,
    id: ClusterId,
    components: readonly Component[],
    wanted: ClaimTemplates,
    now: () => number,
    also: NodesToRead = {},
): Promise<ObservedMember[]> {
    if (components.length === 0) {
        return [];
    }
    const at = now();
    const [statefulSets, pods, claims] = await Promise.all([
        Promise.all(
            components.map((component) => reads.statefulSet(memberName(id.cluster, component), also.manifests)),
        ),
        reads.pods(components),
        reads.claims(also.claimStates || also.volumesOf !== undefined),
    ]);
    const podsOf = (component: Component) =>
        pods.filter(({ metadata }) => podOrdinal(metadata?.name, id.cluster, component) !== undefined);
    const nodeNames = components.flatMap((component) =>
        podsOf(component).map((pod) =>
            also.zones || also.drains || (also.deaths && !isReady(pod))
                ? pod.spec?.nodeName
                : nodeToRead(pod, component),
        ),
    );
    const hasEnded = (pod: V1Pod, component: Component) =>
        !isReady(pod) || observeRestarts(pod, component).lastRun !== undefined;
    const asksTime =
        also.deaths && components.some((component) => podsOf(component).some((pod) => hasEnded(pod, component)));
    const observedSets = components.map(
        (component, index) =>
            statefulSets[index] &&
            observeStatefulSet(statefulSets[index], { cluster: id.cluster, component }, also.manifests),
    );
    const leaving = components.flatMap((component, index) => {
        const live = observedSets[index];
        // A pod that starts again has those of the template, whatever it has now.
        const under = also.roomsUnder ?? (live && (live.spreadConstraints ?? []));
        return podsOf(component)
            .filter(({ metadata }) => also.rooms?.includes(metadata?.name ?? ""))
            .map((pod) => ({ pod, under }));
    });
    const steadied = components.flatMap((component) =>
        podsOf(component)
            .filter((pod) => asksTime && isReady(pod) && hasEnded(pod, component))
            .map(({ metadata }) => metadata?.name ?? ""),
    );
    const [nodes, time, rooms, wholePods] = await Promise.all([
        readNodes(
            reads,
            nodeNames.filter((name) => name !== undefined),
        ),
        asksTime ? reads.time() : undefined,
        Promise.all(
            leaving.map(async ({ pod, under }) => [pod.metadata?.name, await reads.room(pod, at, under)] as const),
        ),
        inGroups(steadied, readsAtOnce, async (name) => [name, await reads.wholePod(name)] as const),
    ]);
    const wholeOf = new Map(wholePods);
    const roomOf = new Map(rooms);
    const observed = components.map((component, index): ObservedMember => {
        const owner = { cluster: id.cluster, component };
        const statefulSet = observedSets[index];
        const templates = [
            component,
            ...(wanted[component] ?? []),
            ...(statefulSet?.fixed.claims ?? []).map(({ name }) => name),
        ];
        return {
            component,
            statefulSet,
            pods: podsOf(component)
                .map((pod) => {
                    const node = nodes.get(pod.spec?.nodeName ?? "");
                    const seen = observePod(pod, owner, node, at);
                    const room = roomOf.get(pod.metadata?.name);
                    return (
                        seen && {
                            ...seen,
                            ...(asksTime && !seen.ready ? { death: observeDeath(pod, node, time, at) } : {}),
                            ...(also.zones && node ? { nodeLabels: labelsOfNode(seen.node ?? "", node, at) } : {}),
                            ...(wholeOf.has(seen.name)
                                ? { readyAtLeast: readyAtLeast(samePod(pod, wholeOf.get(seen.name)), time, at) }
                                : {}),
                            ...(also.drains ? { drain: observeDrain(pod, node, at) } : {}),
                            ...(room ? { room } : {}),
                        }
                    );
                })
                .filter((pod) => pod !== undefined)
                .sort((a, b) => a.ordinal - b.ordinal),
            claims: claims
                .map((claim) => claimOf(claim, id, component, templates, also.claimStates ? at : undefined))
                .filter((claim) => claim !== undefined)
                .sort((a, b) => a.ordinal - b.ordinal || a.name.localeCompare(b.name)),
        };
    });
    const sized = also.expansions ? await withExpansions(reads, observed, at) : observed;
    const { volumesOf } = also;
    const bound = volumesOf
        ? await Promise.all(sized.map((member) => withVolumes(reads, member, claims, at, volumesOf)))
        : sized;
    const placed = also.volumePlaces ? await Promise.all(bound.map((member) => withPlaces(reads, member, at))) : bound;
    const { revisions } = also;
    return revisions
        ? Promise.all(placed.map((member) => withRevisions(reads, member, at, revisions === "needed")))
        : placed;
}

/** @returns the pod as it was read later; undefined if that is another one of its name. */
function samePod({ metadata }: V1Pod, later: V1Pod | undefined): V1Pod | undefined {
    return later?.metadata?.uid === metadata?.uid ? later : undefined;
}

/**
 * The controller copies the StatefulSet's annotations to a revision that it makes (kubernetes pkg/controller/statefulset/stateful_set_utils.go),
 * and takes an earlier revision of the same template again. After a change of the template by hand two revisions have one digest: then it
 * tells nothing.
 */
async function withRevisions(
    reads: Pick<MemberReads, "revisions">,
    member: ObservedMember,
    at: number,
    isNeeded: boolean,
): Promise<ObservedMember> {
    const { component, statefulSet, pods } = member;
    if (
        statefulSet === undefined ||
        (statefulSet.settled && pods.every((pod) => !hasOtherRevision(pod, statefulSet)))
    ) {
        return member;
    }
    const revisions = mapFact(await reads.revisions(component, at, isNeeded), (listed) => ({
        byTemplate: byTemplate(listed),
        changes: statefulSet.settled ? changes(listed, statefulSet.updateRevision) : {},
    }));
    return { ...member, revisions };
}

function byTemplate(listed: readonly V1ControllerRevision[]): Record<string, string> {
    const revisions: Record<string, string> = {};
    for (const { metadata } of listed) {
        const digest = metadata?.annotations?.[templateRevisionAnnotation] ?? "";
        revisions[digest] = digest in revisions ? "" : (metadata?.name ?? "");
    }
    return revisions;
}

function changes(listed: readonly V1ControllerRevision[], newest: string | undefined): Record<string, string[]> {
    const templates = new Map(
        listed.map(({ metadata, data }) => [
            metadata?.name,
            (data as { spec?: { template?: object } } | undefined)?.spec?.template,
        ]),
    );
    const now = templates.get(newest);
    const older = [...templates].flatMap(([name, template]): [string, string[]][] =>
        name === undefined || name === newest || template === undefined || now === undefined
            ? []
            : [[name, templateChanges(template, now)]],
    );
    return Object.fromEntries(older);
}

/** A claim without a class never grows: the API server's admission asks its class (kubernetes plugin/pkg/admission/storage/persistentvolume/resize). */
async function withExpansions(
    reads: Pick<MemberReads, "expands">,
    members: readonly ObservedMember[],
    at: number,
): Promise<ObservedMember[]> {
    const classOf = ({ state }: ObservedClaim) => state?.storageClass ?? "";
    const names = [...new Set(members.flatMap(({ claims }) => claims.map(classOf)))];
    const facts = new Map(
        await inGroups(
            names,
            readsAtOnce,
            async (name) =>
                [name, name === "" ? known(false, "the API server", at) : await reads.expands(name, at)] as const,
        ),
    );
    return members.map((member) => ({
        ...member,
        claims: member.claims.map((claim) => ({ ...claim, expands: facts.get(classOf(claim)) })),
    }));
}

async function withVolumes(
    reads: Pick<MemberReads, "volume">,
    member: ObservedMember,
    listed: readonly ListedClaim[],
    at: number,
    volumesOf: readonly Component[],
): Promise<ObservedMember> {
    if (!volumesOf.includes(member.component)) {
        return member;
    }
    const byUid = new Map(listed.map((claim) => [claim.metadata?.uid, claim]));
    const claims = await inGroups(member.claims, readsAtOnce, async (claim) => {
        const whole = getsPolicy(claim) ? byUid.get(claim.uid) : undefined;
        return whole === undefined ? claim : { ...claim, volume: await reads.volume(whole, at) };
    });
    return { ...member, claims };
}

/** Only a pod that does not run can have lost its volumes. */
async function withPlaces(
    reads: Pick<MemberReads, "place">,
    member: ObservedMember,
    at: number,
): Promise<ObservedMember> {
    const running = new Set(member.pods.filter(({ ready }) => ready).map(({ ordinal }) => ordinal));
    const claims = await inGroups(member.claims, readsAtOnce, async (claim) =>
        running.has(claim.ordinal) ? claim : { ...claim, place: await reads.place(claim.name, at) },
    );
    return { ...member, claims };
}

async function readNodes(reads: Pick<MemberReads, "node">, names: readonly string[]): Promise<Map<string, NodeAnswer>> {
    const wanted = [...new Set(names)];
    return new Map(await inGroups(wanted, readsAtOnce, async (name) => [name, await reads.node(name)] as const));
}

/** A claim belongs to a pod by its name, whatever its labels are: that is how the StatefulSet finds it. */
function claimOf(
    claim: ListedClaim,
    { cluster, instance }: ClusterId,
    component: Component,
    templates: readonly string[],
    stateAt: number | undefined,
): ObservedClaim | undefined {
    const { name, labels = {} } = claim.metadata ?? {};
    const isLabelled = labels[instanceLabel] === instance && labels[componentLabel] === component;
    const ordinal =
        claimOrdinal(name, templates, cluster, component) ??
        (isLabelled ? labelledClaimOrdinal(name, cluster, component) : undefined);
    return ordinal === undefined ? undefined : observeClaim(claim, ordinal, stateAt);
}
