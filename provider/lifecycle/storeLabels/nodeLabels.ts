import { placeLabels } from "../../../topology/labels";

type Labels = Readonly<Record<string, string>>;

/**
 * @returns the value of a node's label, or, for PD's short names `region`, `zone` and `host`, of the label that Kubernetes has for it;
 * `undefined` if the node has neither (tidb-operator pkg/manager/member/node.go). PD deletes a label with an empty value, so none counts.
 */
export function labelFor(key: string, node: Labels): string | undefined {
    const names = [key, ...(Object.hasOwn(placeLabels, key) ? placeLabels[key] : [])];
    return names.map((name) => (Object.hasOwn(node, name) ? node[name] : "")).find((value) => value !== "");
}

/** @returns the value of a store's label. PD compares keys whatever their case is (tikv/pd pkg/core/store.go, GetLabelValue). */
export function labelOfStore(key: string, store: Labels): string | undefined {
    return Object.entries(store).find(([other]) => isSameKey(key, other))?.[1];
}

export function isSameKey(one: string, other: string): boolean {
    return one.toLowerCase() === other.toLowerCase();
}
