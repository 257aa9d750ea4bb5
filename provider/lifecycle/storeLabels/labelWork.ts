import { memberName } from "../../../topology/names";
import { topology } from "../../../topology/members";
import { notAsked } from "../vocabulary/evidence";
import type { Look } from "../vocabulary/look";
import { placeLabels } from "../../../topology/labels";
import { compareVersions, type Version, versionOfTag } from "../../../topology/imageVersion";
import type { Observation, ObservedPod } from "../vocabulary/observation";
import { someOf } from "../vocabulary/settings";
import { type PodView, viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { isSameKey, labelFor, labelOfStore } from "./nodeLabels";

/** A store, or a server, whose labels are not those of its node. */
export interface DueLabels {
    readonly component: MemberTarget["component"];
    readonly pod: string;
    readonly uid: string;
    readonly node: string;
    /** Undefined of a TiDB server, which has labels of its own. */
    readonly storeId: number | undefined;
    /** The labels that differ: `from` is undefined where it has none. */
    readonly labels: readonly { readonly key: string; readonly from: string | undefined; readonly to: string }[];
}

/** Which stores and servers need other labels, and what is not known or cannot be set, in words. */
export interface LabelWork {
    readonly due: readonly DueLabels[];
    readonly remarks: readonly string[];
}

/** A running pod with its node, and the labels that its store, or its server, has. */
interface Placed {
    readonly pod: ObservedPod & { readonly node: string };
    readonly storeId?: number;
    readonly labelOf: (key: string) => string | undefined;
}

/**
 * Compares the labels of stores in PD with those of their nodes: PD's `location-labels`, and those that the program adds
 * (tidb-operator pkg/manager/member/tikv_member_manager.go, setStoreLabelsForTiKV; tiflash_member_manager.go). TiDB's servers have the
 * same ones, and `zone`, by which they read from near replicas (tidb_member_manager.go, setServerLabels). What is not known changes nothing.
 * @returns what differs, or what must be read first.
 */
export function labelWork(observation: Observation, targets: readonly MemberTarget[]): LabelWork | { look: Look } {
    const { locationLabels, stores } = observation.pd;
    const members = targets.filter(
        ({ component, replicas, labels }) =>
            (topology[component].engine !== undefined || topology[component].hasServerLabels === true) &&
            replicas > 0 &&
            labels?.own !== "all",
    );
    if (members.length === 0 || observation.pdTrouble !== undefined || !stores.known) {
        return { due: [], remarks: [] };
    }
    if (locationLabels === notAsked) {
        return { look: { parts: ["location-labels"] } };
    }
    if (!locationLabels.known) {
        return { due: [], remarks: [`labels of stores are not compared with their nodes: ${locationLabels.why}`] };
    }
    const wanted = members
        .map((target) => ({
            target,
            keys: wantedKeys(target, locationLabels.value),
            placed: placedOf(observation, target),
        }))
        .filter(({ keys }) => keys.length > 0);
    if (observation.tidbServers === undefined && wanted.some(({ target }) => hasServers(target))) {
        return { look: { asks: ["server-labels"] } };
    }
    if (wanted.some(({ placed }) => placed.some(({ pod }) => pod.nodeLabels === undefined))) {
        return { look: { zones: true } };
    }
    return {
        due: wanted.flatMap(({ target, keys, placed }) => placed.flatMap((one) => dueOf(target, keys, one))),
        remarks: wanted.flatMap(({ target, keys, placed }) => {
            const on = memberName(observation.cluster, target.component);
            return hasServers(target)
                ? [...notCompared(`servers of ${on}`, "", placed), ...serversNotCompared(on, observation)]
                : [...notCompared(`stores of ${on}`, " in PD", placed), ...withoutLabel(on, keys, placed)];
        }),
    };
}

/** The same key in another case is the same label to PD. Without a zone there is nothing near to a server. */
function wantedKeys(target: MemberTarget, locationLabels: readonly string[]): string[] {
    const { more = [], own } = target.labels ?? {};
    const isOwn = (key: string) => own === "all" || own?.some((one) => isSameKey(one, key));
    const zones = hasServers(target) ? [nearBy] : [];
    if (hasServers(target) && !locationLabels.some((key) => key === nearBy || placeLabels[nearBy].includes(key))) {
        return [];
    }
    const all = [...zones, ...locationLabels, ...more];
    return all.filter((key, index) => !isOwn(key) && all.findIndex((one) => isSameKey(one, key)) === index);
}

/** The label by which TiDB finds replicas near it (`tidb_replica_read` = `closest-replicas`). */
const nearBy = "zone";

function hasServers({ component }: MemberTarget): boolean {
    return topology[component].hasServerLabels === true;
}

/** Only a Ready pod proves that its store, or its server, runs where it is. */
function placedOf(observation: Observation, target: MemberTarget): Placed[] {
    return viewsOf(observation, target).flatMap(({ pod, store }: PodView): Placed[] => {
        if (pod?.node === undefined || !pod.ready || pod.terminating) {
            return [];
        }
        const on = { ...pod, node: pod.node };
        if (hasServers(target)) {
            const labels = labelsOfServer(observation, pod.name);
            return labels
                ? [{ pod: on, labelOf: (key) => (Object.hasOwn(labels, key) ? labels[key] : undefined) }]
                : [];
        }
        return store ? [{ pod: on, storeId: store.id, labelOf: (key) => labelOfStore(key, store.labels) }] : [];
    });
}

/** TiDB takes labels from this version on (tidb-operator, tidbSupportLabelsMinVersin). */
const firstWithLabels: Version = [6, 3, 0];

/** The labels of a server that can be given others; `undefined` for one that TiDB does not list, or that is too old. */
function labelsOfServer({ tidbServers }: Observation, pod: string): Readonly<Record<string, string>> | undefined {
    const server = tidbServers?.known ? tidbServers.value.find(({ podName }) => podName === pod) : undefined;
    const version = server && versionOfTag(server.version.split("-TiDB-").at(-1) ?? "");
    return version && compareVersions(version, firstWithLabels) >= 0 ? server.labels : undefined;
}

function serversNotCompared(on: string, { tidbServers }: Observation): string[] {
    return tidbServers?.known === false ? [`labels of ${on} stay as they are: ${tidbServers.why}`] : [];
}

function dueOf({ component }: MemberTarget, keys: readonly string[], { pod, storeId, labelOf }: Placed): DueLabels[] {
    const { nodeLabels } = pod;
    if (!nodeLabels?.known) {
        return [];
    }
    const labels = keys.flatMap((key) => {
        const [from, to] = [labelOf(key), labelFor(key, nodeLabels.value)];
        return to === undefined || to === from ? [] : [{ key, from, to }];
    });
    const { name, uid, node } = pod;
    return labels.length === 0 ? [] : [{ component, pod: name, uid, node, storeId, labels }];
}

function notCompared(of: string, where: string, placed: readonly Placed[]): string[] {
    const unread = placed.flatMap(({ pod }) => (pod.nodeLabels?.known === false ? [pod.nodeLabels.why] : []));
    return unread.length === 0
        ? []
        : [`labels of ${unread.length} of ${placed.length} ${of} stay as they are${where}: ${unread[0]}`];
}

/** A store that has the label from elsewhere keeps it. */
function withoutLabel(on: string, keys: readonly string[], placed: readonly Placed[]): string[] {
    return keys.flatMap((key) => {
        const lacking = placed.filter(
            ({ pod: { nodeLabels }, labelOf }) =>
                nodeLabels?.known === true &&
                labelFor(key, nodeLabels.value) === undefined &&
                labelOf(key) === undefined,
        );
        const nodes = [...new Set(lacking.map(({ pod }) => pod.node))];
        return nodes.length === 0
            ? []
            : [`stores of ${on} get no label ${key} in PD: node ${someOf(nodes)} has none; label it, or set it in PD`];
    });
}
