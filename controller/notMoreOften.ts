import type { ClusterName } from "../provider/cluster/controllerCalls";

/** Returns whether something is due for a cluster: it was not for so many milliseconds. */
export function notMoreOftenThan({ now }: { now(): number }): (name: ClusterName, milliseconds: number) => boolean {
    const lastAt = new Map<string, number>();
    return ({ namespace, cluster }, milliseconds) => {
        const key = `${namespace}/${cluster}`;
        const isDue = now() - (lastAt.get(key) ?? -Infinity) >= milliseconds;
        if (isDue) {
            lastAt.set(key, now());
        }
        return isDue;
    };
}
