import { type Notice, noticesOf } from "../vocabulary/notices";
import type { ObservedMember } from "../vocabulary/observation";
import { crowdedNodes, podsWithoutNode } from "./crowding";
import { noSpread, revisionParts, type Spread, spreadOf } from "../vocabulary/spread";
import { type RoomsAsked, type WayOut, wayOut } from "./wayOut";

/** What the program wants. */
export interface WantedSpread {
    /** The constraints for the spec's number of replicas. */
    spread: Spread;
    /** Digest of the rendered pod template without them. */
    templateRevision: string;
    /** `operations.placement`. */
    when: "with-changes" | "now";
}

/** Which constraints the pod template gets. */
export interface ChosenSpread {
    spread: Spread;
    /** Why the preview fails. */
    refused?: string;
    /** What a closer look would tell more by. Default: nothing. */
    asks?: RoomsAsked;
    /** What the user should know. */
    remarks: Notice[];
}

/**
 * Decides which constraints a member's pod template gets, so that no pod is restarted for them alone, and every pod can come
 * back to its node.
 *
 * - A new member gets the wanted ones. If volumes of an earlier one are kept, which may be tied to nodes, only those that keep no
 *   pod from starting.
 * - A live StatefulSet keeps what it has, until its template changes for another reason, or the program says `now`. Even then it
 *   gets them only if its pods already are where they allow them, or other nodes take what a crowded node has too many: a pod whose
 *   volume is tied to a crowded node could not start again. What is not known counts as not allowed.
 *
 * @param before the constraints of the last update, from the stack's state.
 * @param isOneByOne whether pods restart one at a time: beside another one, a pod could lose its place.
 * @param coming how many pods this update adds.
 */
export function chooseSpread(
    wanted: WantedSpread,
    member: ObservedMember | undefined,
    before: Spread | undefined,
    isOneByOne = false,
    coming = 0,
): ChosenSpread {
    const live = member?.statefulSet;
    if (member === undefined || live === undefined) {
        // Released claims are deleted before a pod starts.
        const isNew = member?.claims.every(({ released }) => released) === true;
        const spread = isNew ? wanted.spread : softOnly(wanted.spread);
        const isLess = member !== undefined && spread.revision !== wanted.spread.revision;
        return { spread, remarks: noticesOf("spread-constraints", isLess ? onVolumes : undefined) };
    }
    const has = liveSpread(live, before);
    const crowded = crowdedNodes(member, wanted.spread.constraints);
    const keep = {
        spread: has,
        remarks: noticesOf("node-crowded", ...crowded.map((words) => `${words}: ${reportEnd}`)),
    };
    const parts = live.templateRevision === undefined ? undefined : revisionParts(live.templateRevision);
    const isNow = wanted.when === "now";
    const changesAnyway = parts !== undefined && parts.template !== wanted.templateRevision;
    if (has.revision === wanted.spread.revision || !(isNow || changesAnyway)) {
        return keep;
    }
    const without = podsWithoutNode(member);
    const unknown = [
        ...(without.length > 0 ? [`the node of ${without.join(", ")} is not known`] : []),
        ...(parts === undefined ? [`StatefulSet ${live.name} does not say which template it has`] : []),
    ];
    const way =
        crowded.length > 0 && unknown.length === 0 ? leaving(member, wanted.spread, isOneByOne, coming) : undefined;
    if (unknown.length === 0 && (crowded.length === 0 || way?.is === "open")) {
        const moved = crowded.map((words) => `${words}: its pods restart, and those above that start on other nodes`);
        const remarks = [
            ...noticesOf("node-crowded", ...moved),
            ...noticesOf("spread-constraints", isNow ? undefined : comesAlong(has)),
        ];
        return { spread: wanted.spread, remarks };
    }
    const closed = way?.is === "closed" && way.why !== undefined ? [way.why] : [];
    const obstacles = [...crowded, ...closed, ...unknown];
    const refused = `found now, but ${obstacles.join("; ")}. A pod whose volume is tied to its node could not start again. Next: move pods to other nodes first (docs/placement.md), or leave operations.placement out`;
    return { ...keep, ...(way?.is === "asks" ? { asks: way.asks } : {}), ...(isNow ? { refused } : {}) };
}

function leaving(member: ObservedMember, { constraints }: Spread, isOneByOne: boolean, coming: number): WayOut {
    return isOneByOne
        ? wayOut(member, constraints, coming)
        : { is: "closed", why: "operations.rollout restarts pods side by side, so one could lose its place" };
}

const reportEnd =
    'losing it could take too many at once. No pod is moved; docs/placement.md says how, and `operations.placement: "off"` silences this';
/** Pods that were spread before are not held to a new rule, only to another number. */
function comesAlong(has: Spread): string {
    return isHard(has)
        ? "its pod template changes anyway, and its default topologySpreadConstraints become those for its number of replicas with this change (operations.placement)"
        : "its pod template changes anyway, and gets the default topologySpreadConstraints with this change, of which some keep a pod Pending rather than on a crowded node (operations.placement)";
}

const onVolumes =
    "its pods come back to volumes that may be tied to nodes, so it gets only the topologySpreadConstraints that keep no pod from starting; the others follow with the next change of its pod template (operations.placement)";

function liveSpread(
    { templateRevision, spreadConstraints = [] }: NonNullable<ObservedMember["statefulSet"]>,
    before: Spread | undefined,
): Spread {
    const { spread: revision } = revisionParts(templateRevision ?? "");
    if (revision === "") {
        return noSpread;
    }
    // An API server that does not know a field drops it: what the program wrote last is what it should write again.
    return before?.revision === revision ? before : { revision, constraints: spreadConstraints };
}

function softOnly({ constraints }: Spread): Spread {
    return spreadOf(constraints.filter((one) => !keepsPodPending(one)));
}

function isHard({ constraints }: Spread): boolean {
    return constraints.some(keepsPodPending);
}

function keepsPodPending({ whenUnsatisfiable }: Spread["constraints"][number]): boolean {
    return whenUnsatisfiable === "DoNotSchedule";
}
