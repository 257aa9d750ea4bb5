import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

const retryMilliseconds = 500;

/** All objects of a kind, kept current by a watch. */
export interface WatchedObjects<T> {
    all(): T[];
    get(name: string, namespace?: string): T | undefined;
    /** Keeps what a write has answered, until the watch reports it. */
    put(written: T): void;
    stop(): Promise<void>;
}

/** What happens with the objects of a kind. */
export interface Watching<T> {
    onChange(object: T): void;
    onGone?(object: T): void;
    onError(error: unknown): void;
}

/** Watches the objects at a path, until `stop()`. A watch that fails is started again. */
export async function watchObjects<T extends k8s.KubernetesObject>(
    { kubernetes, kubeconfig }: { kubernetes: typeof k8s; kubeconfig: k8s.KubeConfig },
    path: string,
    list: () => Promise<k8s.KubernetesListObject<T>>,
    { onChange, onGone, onError }: Watching<T>,
): Promise<WatchedObjects<T>> {
    const known = new Map<string, T>();
    let isStopped = false;
    const informer = kubernetes.makeInformer(kubeconfig, path, list);
    const see = (object: T): void => {
        const before = known.get(keyOf(object));
        if (before === undefined || !isOlder(object, before)) {
            known.set(keyOf(object), object);
            onChange(object);
        }
    };
    informer.on("add", see);
    informer.on("update", see);
    informer.on("delete", (object) => {
        known.delete(keyOf(object));
        onGone?.(object);
    });
    const start = (): void => {
        informer.start().catch(restart);
    };
    const restart = (error: unknown): void => {
        if (!isStopped) {
            onError(error);
            setTimeout(start, retryMilliseconds).unref();
        }
    };
    informer.on("error", restart);
    await informer.start();
    return {
        all: () => [...known.values()],
        get: (name, namespace) => known.get(keyOf({ metadata: { name, namespace } })),
        put: (written) => {
            const before = known.get(keyOf(written));
            if (before !== undefined && isOlder(before, written)) {
                known.set(keyOf(written), written);
            }
        },
        stop: async () => {
            isStopped = true;
            await informer.stop();
        },
    };
}

function keyOf({ metadata }: k8s.KubernetesObject): string {
    return `${metadata?.namespace ?? ""}/${metadata?.name}`;
}

/** Whether it is an earlier state of the same object. */
function isOlder({ metadata: one }: k8s.KubernetesObject, { metadata: other }: k8s.KubernetesObject): boolean {
    return one?.uid === other?.uid && BigInt(one?.resourceVersion ?? 0) < BigInt(other?.resourceVersion ?? 0);
}
