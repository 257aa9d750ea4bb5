import { type Component, components } from "../topology/members";
import { memberName } from "../topology/names";
import type { ClusterStatus, MemberStatus, PodStatus } from "./clusterStatus";
import { card } from "./htmlCard";
import { type Html, html, nothing, prose } from "./htmlText";
import { type PodLevel, podLevel, podWords } from "./statusWords";
import { counted } from "../provider/lifecycle/vocabulary/counted";

/** A pod and where it is. */
interface PlacedPod {
    readonly component: Component;
    /** Without the cluster's name: `tikv-2`. */
    readonly label: string;
    readonly pod: PodStatus;
}

/** A node and its pods. */
interface PlacedNode {
    readonly name: string;
    readonly pods: readonly PlacedPod[];
}

/** A zone and its nodes. */
export interface PlacedZone {
    readonly title: string;
    readonly nodes: readonly PlacedNode[];
}

const levels: Readonly<Record<PodLevel, { mark: string; words: string; look: string }>> = {
    good: { mark: "●", words: "healthy, newest revision", look: "good" },
    stale: { mark: "◐", words: "healthy, older revision", look: "warn" },
    waiting: { mark: "◌", words: "not Ready, or stopping", look: "warn" },
    bad: { mark: "✕", words: "missing, or unhealthy as a member", look: "bad" },
    unknown: { mark: "?", words: "not known", look: "unknown" },
};

const marksOfRoles: Readonly<Record<NonNullable<PodStatus["role"]>, string>> = {
    leader: "★",
    primary: "★",
    owner: "★",
};

/** Draws the cluster: zones, in them the nodes, and in these the pods. */
export function places(status: ClusterStatus): Html {
    const zones = zonesOf(status);
    const unknown = zoneTrouble(status);
    const nodes = zones.flatMap((zone) => zone.nodes);
    const pods = nodes.reduce((sum, node) => sum + node.pods.length, 0);
    const nowhere = withoutNode(status);
    const counts = new Map<string, number>();
    for (const { pod } of [...nodes.flatMap((node) => node.pods), ...nowhere]) {
        counts.set(podLevel(pod), (counts.get(podLevel(pod)) ?? 0) + 1);
    }
    return card(
        "Where it runs",
        html`${unknown === undefined ? nothing : html`<div class="note unknown"><p>The zones are not known: ${prose(unknown)}</p></div>`}
            <ul class="legend">
                ${status.members.map(memberLegend)}${Object.entries(levels).map(([level, shown]) => levelLegend(shown, counts.get(level) ?? 0))}
                <li>★ leads its peers</li>
                <li class="soft">${counted(pods, "pod")} on ${counted(nodes.length, "node")}</li>
            </ul>
            ${
                nowhere.length === 0
                    ? nothing
                    : html`<div class="zone nowhere">
                          <h3>Without a node <span>${counted(nowhere.length, "pod")}</span></h3>
                          <ul class="pods">
                              ${nowhere.map(podBox)}
                          </ul>
                      </div>`
            }
            <div class="zones">${zones.map(zoneBox)}</div>`,
    );
}

/** Returns the zones by name, in each the nodes by name, and in these the pods in the order of a rollout. */
export function zonesOf({ name, members }: Pick<ClusterStatus, "name" | "members">): PlacedZone[] {
    const zones = new Map<string, Map<string, PlacedPod[]>>();
    for (const placed of placedPods(name, members)) {
        const { node, zone } = placed.pod;
        if (node !== null) {
            const title = zone.known ? (zone.value ?? "Nodes without a zone") : "Zone not known";
            const nodes = zones.get(title) ?? new Map<string, PlacedPod[]>();
            nodes.set(node, [...(nodes.get(node) ?? []), placed]);
            zones.set(title, nodes);
        }
    }
    return [...zones]
        .sort(([one], [other]) => natural(one, other))
        .map(([title, nodes]) => ({
            title,
            nodes: [...nodes]
                .sort(([one], [other]) => natural(one, other))
                .map(([node, pods]) => ({ name: node, pods })),
        }));
}

/** Returns the pods without a node: those that are not scheduled, and those that are missing. A suspended member misses none. */
export function withoutNode({ name, members }: Pick<ClusterStatus, "name" | "members">): PlacedPod[] {
    const expected = members.filter(({ isSuspended }) => !isSuspended);
    const left = members.flatMap((one) =>
        one.isSuspended ? [{ ...one, pods: one.pods.filter(({ phase }) => phase !== "missing") }] : [],
    );
    return placedPods(name, [...expected, ...left]).filter(({ pod }) => pod.node === null);
}

function placedPods(cluster: string, members: readonly MemberStatus[]): PlacedPod[] {
    return members.flatMap(({ component, pods }) =>
        pods.map((pod) => {
            const label = `${component}${pod.name.slice(memberName(cluster, component).length)}`;
            return { component, label, pod };
        }),
    );
}

/** Why zones are not known; undefined if all are. */
function zoneTrouble({ members }: ClusterStatus): string | undefined {
    for (const { zone } of members.flatMap(({ pods }) => pods)) {
        if (!zone.known) {
            return zone.why;
        }
    }
    return undefined;
}

function zoneBox({ title, nodes }: PlacedZone): Html {
    const pods = nodes.reduce((sum, node) => sum + node.pods.length, 0);
    return html`<div class="zone">
        <h3>${title} <span>${counted(nodes.length, "node")}, ${counted(pods, "pod")}</span></h3>
        <div class="nodes">${nodes.map(nodeBox)}</div>
    </div> `;
}

function nodeBox({ name, pods }: PlacedNode): Html {
    return html`<div class="node">
        <h4>${name}</h4>
        <ul class="pods">
            ${pods.map(podBox)}
        </ul>
    </div> `;
}

function podBox({ component, label, pod }: PlacedPod): Html {
    const { mark, look, words } = levels[podLevel(pod)];
    const state = podWords(pod) ?? words;
    const role =
        pod.role === null ? nothing : html` <b role="img" aria-label="${pod.role}">${marksOfRoles[pod.role]}</b>`;
    const says = [pod.name, pod.version, pod.role, state].filter((one) => one !== null).join(", ");
    return html`<li class="pod ${look}" style="--hue: ${hue(component)}" title="${says}">
        <b role="img" aria-label="${state}:">${mark}</b><span>${label}${role}</span>
    </li>`;
}

function memberLegend({ component, title }: MemberStatus): Html {
    return html`<li><span class="swatch" style="--hue: ${hue(component)}"></span>${title}</li>`;
}

function levelLegend({ mark, words, look }: (typeof levels)[PodLevel], count: number): Html {
    return html`<li><span class="state ${look}">${mark}</span>${words}: ${count}</li>`;
}

/** The colours are as far apart as possible, in the order of a rollout. */
function hue(component: Component): number {
    return Math.round((components.indexOf(component) * 360) / components.length);
}

function natural(one: string, other: string): number {
    return one.localeCompare(other, "en", { numeric: true });
}
