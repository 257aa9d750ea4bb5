import { memberName } from "../../../topology/names";
import { topology } from "../../../topology/members";
import { notAsked } from "../vocabulary/evidence";
import type { Look } from "../vocabulary/look";
import type { Observation, ObservedPod, ObservedStore } from "../vocabulary/observation";
import { someOf } from "../vocabulary/settings";
import { type PodView, viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { isSameKey, labelFor, labelOfStore } from "./nodeLabels";

/** A store whose labels in PD are not those of its node. */
export interface DueStore {
    readonly component: MemberTarget["component"];
    readonly pod: string;
    readonly node: string;
    readonly storeId: number;
    /** The labels that differ: `from` is undefined where PD has none. */
    readonly labels: readonly { readonly key: string; readonly from: string | undefined; readonly to: string }[];
}

/** Which stores need other labels, and what is not known or cannot be set, in words. */
export interface LabelWork {
    readonly due: readonly DueStore[];
    readonly remarks: readonly string[];
}

/** A running pod with its store and its node. */
interface Placed {
    readonly pod: ObservedPod & { readonly node: string };
    readonly store: ObservedStore;
}

/**
 * Compares the labels of stores in PD with those of their nodes: PD's `location-labels`, and those that the program adds
 * (tidb-operator pkg/manager/member/tikv_member_manager.go, setStoreLabelsForTiKV; tiflash_member_manager.go). What is not known changes
 * nothing.
 * @returns what differs, or what must be read first.
 */
export function labelWork(observation: Observation, targets: readonly MemberTarget[]): LabelWork | { look: Look } {
    const { placement, stores } = observation.pd;
    const members = targets.filter(
        ({ component, replicas, labels }) =>
            topology[component].engine !== undefined && replicas > 0 && labels?.own !== "all",
    );
    if (members.length === 0 || observation.pdTrouble !== undefined || !stores.known) {
        return { due: [], remarks: [] };
    }
    if (placement === notAsked) {
        return { look: { parts: ["placement"] } };
    }
    if (!placement.known) {
        return { due: [], remarks: [`labels of stores are not compared with their nodes: ${placement.why}`] };
    }
    const { locationLabels = [] } = placement.value;
    const wanted = members
        .map((target) => ({ target, keys: wantedKeys(target, locationLabels), placed: placedOf(observation, target) }))
        .filter(({ keys }) => keys.length > 0);
    if (wanted.some(({ placed }) => placed.some(({ pod }) => pod.nodeLabels === undefined))) {
        return { look: { zones: true } };
    }
    return {
        due: wanted.flatMap(({ target, keys, placed }) => placed.flatMap((one) => dueOf(target, keys, one))),
        remarks: wanted.flatMap(({ target, keys, placed }) => {
            const on = memberName(observation.cluster, target.component);
            return [...notCompared(on, placed), ...withoutLabel(on, keys, placed)];
        }),
    };
}

/** The same key in another case is the same label to PD. */
function wantedKeys({ labels: { more = [], own } = {} }: MemberTarget, locationLabels: readonly string[]): string[] {
    const isOwn = (key: string) => own === "all" || own?.some((one) => isSameKey(one, key));
    const all = [...locationLabels, ...more];
    return all.filter((key, index) => !isOwn(key) && all.findIndex((one) => isSameKey(one, key)) === index);
}

/** Only a Ready pod proves that its store runs where it is. */
function placedOf(observation: Observation, target: MemberTarget): Placed[] {
    return viewsOf(observation, target).flatMap(({ pod, store }: PodView) =>
        pod?.node !== undefined && pod.ready && !pod.terminating && store !== undefined
            ? [{ pod: { ...pod, node: pod.node }, store }]
            : [],
    );
}

function dueOf({ component }: MemberTarget, keys: readonly string[], { pod, store }: Placed): DueStore[] {
    const { nodeLabels } = pod;
    if (!nodeLabels?.known) {
        return [];
    }
    const labels = keys.flatMap((key) => {
        const [from, to] = [labelOfStore(key, store.labels), labelFor(key, nodeLabels.value)];
        return to === undefined || to === from ? [] : [{ key, from, to }];
    });
    return labels.length === 0 ? [] : [{ component, pod: pod.name, node: pod.node, storeId: store.id, labels }];
}

function notCompared(on: string, placed: readonly Placed[]): string[] {
    const unread = placed.flatMap(({ pod }) => (pod.nodeLabels?.known === false ? [pod.nodeLabels.why] : []));
    return unread.length === 0
        ? []
        : [`labels of ${unread.length} of ${placed.length} stores of ${on} stay as they are in PD: ${unread[0]}`];
}

/** A store that has the label from elsewhere keeps it. */
function withoutLabel(on: string, keys: readonly string[], placed: readonly Placed[]): string[] {
    return keys.flatMap((key) => {
        const lacking = placed.filter(
            ({ pod: { nodeLabels }, store }) =>
                nodeLabels?.known === true &&
                labelFor(key, nodeLabels.value) === undefined &&
                labelOfStore(key, store.labels) === undefined,
        );
        const nodes = [...new Set(lacking.map(({ pod }) => pod.node))];
        return nodes.length === 0
            ? []
            : [`stores of ${on} get no label ${key} in PD: node ${someOf(nodes)} has none; label it, or set it in PD`];
    });
}
