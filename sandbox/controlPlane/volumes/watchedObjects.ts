import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { watchObjects, type WatchOptions } from "../../watchObjects";

/** All objects of a kind, kept current by a watch. */
export interface WatchedObjects<T> {
    all(): T[];
    get(name: string, namespace?: string): T | undefined;
    /** Keeps what a write has answered, until the watch reports it. */
    put(written: T): void;
    stop(): Promise<void>;
}

/** Keeps the objects at a path. Each is there before `onChange`, and gone before `onDelete`. */
export async function keepObjects<T extends k8s.KubernetesObject>(
    client: typeof k8s,
    kubeconfig: k8s.KubeConfig,
    options: WatchOptions<T>,
): Promise<WatchedObjects<T>> {
    const known = new Map<string, T>();
    const watch = await watchObjects(client, kubeconfig, {
        ...options,
        onChange: (object) => {
            const before = known.get(keyOf(object));
            if (before === undefined || !isOlder(object, before)) {
                known.set(keyOf(object), object);
                options.onChange(object);
            }
        },
        onDelete: (object) => {
            known.delete(keyOf(object));
            options.onDelete(object);
        },
    });
    return {
        all: () => [...known.values()],
        get: (name, namespace) => known.get(keyOf({ metadata: { name, namespace } })),
        put: (written) => {
            const before = known.get(keyOf(written));
            if (before !== undefined && isOlder(before, written)) {
                known.set(keyOf(written), written);
            }
        },
        stop: () => watch.stop(),
    };
}

function keyOf({ metadata }: k8s.KubernetesObject): string {
    return `${metadata?.namespace ?? ""}/${metadata?.name}`;
}

/** Whether it is an earlier state of the same object. */
function isOlder({ metadata: one }: k8s.KubernetesObject, { metadata: other }: k8s.KubernetesObject): boolean {
    return one?.uid === other?.uid && BigInt(one?.resourceVersion ?? 0) < BigInt(other?.resourceVersion ?? 0);
}
