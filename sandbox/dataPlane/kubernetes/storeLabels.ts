import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { environmentOf } from "../containers/environment";

/**
 * Returns the labels that TiKV or TiFlash gives its store: those of the variable `STORE_LABELS`, which the start script passes on, or
 * otherwise `server.labels` of its file. A variable that is read from a Secret or a ConfigMap is not known here.
 */
export function storeLabelsOf(
    pod: V1Pod,
    component: string,
    config: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
    const container = pod.spec?.containers.find(({ name }) => name === component);
    const env = container?.env?.filter(({ valueFrom }) => valueFrom === undefined || valueFrom.fieldRef !== undefined);
    const none = { secrets: new Map(), configMaps: new Map() };
    const { STORE_LABELS: given = "" } = container ? environmentOf({ name: component, env }, pod, none) : {};
    const { labels = {} } = (config.server ?? {}) as { labels?: object };
    const pairs = given === "" ? Object.entries(labels) : given.split(",").map((pair) => pair.split("=", 2));
    return Object.fromEntries(pairs.map(([key, value]) => [key, String(value)]));
}
