import type { LabelSources } from "../../provider/lifecycle/vocabulary/target";
import { type Component, topology } from "../../topology/members";
import type { RenderedMember } from "../kubernetes/member";
import type { Container } from "../kubernetes/pod";
import { configValue, isTable, readConfig } from "../kubernetes/toml";
import { members as memberTable } from "../members";
import type { RenderedCluster } from "../render";

/** The variable whose labels a start script passes to the store; they replace those of its configuration. */
const labelsVariable = "STORE_LABELS";

/** Where a member's own configuration sets labels, by the kind of the member. */
const ofStores = "server.labels";
const ofServers = "labels";

/** @returns which labels of nodes the stores of a member get, or its servers. Without anything special there is no such input, as in earlier versions. */
export function labelsOf(
    { manifest, members }: Pick<RenderedCluster, "manifest" | "members">,
    component: Component,
): { labels?: LabelSources } {
    const { engine, hasServerLabels } = topology[component];
    if (engine === undefined && !hasServerLabels) {
        return {};
    }
    const spec = memberTable[component].specOf(manifest.spec) as { storeLabels?: readonly string[] } | undefined;
    const more = spec?.storeLabels ?? [];
    const path = hasServerLabels ? ofServers : ofStores;
    const own = ownLabels(members[component] as RenderedMember, component, path);
    return more.length === 0 && own.length === 0
        ? {}
        : { labels: { ...(more.length > 0 ? { more } : {}), ...(own.length > 0 ? { own } : {}) } };
}

function ownLabels(
    { statefulSet, configMap, facts }: RenderedMember,
    component: Component,
    path: string,
): readonly string[] | "all" {
    const { containers } = (statefulSet.spec as { template: { spec: { containers: Container[] } } }).template.spec;
    const container = containers.find(({ name }) => name === component);
    const env = (container?.env ?? []) as readonly EnvVar[];
    const given = env.filter(({ name }) => name === labelsVariable).at(-1);
    if (given !== undefined && given.value !== "") {
        return keysOf(given.value);
    }
    // What comes from elsewhere is known only in the pod.
    const sources = (container?.envFrom ?? []) as readonly { readonly prefix?: string }[];
    const mayGive = sources.some(({ prefix = "" }) => labelsVariable.startsWith(prefix));
    if (given === undefined && path === ofStores && mayGive) {
        return "all";
    }
    const data = (configMap?.data ?? {}) as Readonly<Record<string, string>>;
    return facts.configKeys.flatMap(({ key }) => {
        const labels = configValue(readConfig(data[key]), path);
        return labels !== undefined && isTable(labels) ? Object.keys(labels) : [];
    });
}

interface EnvVar {
    readonly name: string;
    readonly value?: string;
}

/** A key, or all of them, that comes from elsewhere is known only in the pod. */
function keysOf(labels: string | undefined): readonly string[] | "all" {
    const keys = (labels ?? "$").split(",").map((pair) => pair.split("=")[0].trim());
    return keys.some((key) => key.includes("$")) ? "all" : keys;
}
