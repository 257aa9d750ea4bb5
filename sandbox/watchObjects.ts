import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** A watch that lists again after each error until it is stopped. */
export interface ObjectWatch {
    stop(): Promise<void>;
}

/** What to watch, and the callbacks. */
export interface WatchOptions<T extends k8s.KubernetesObject> {
    /** The API path, such as `/api/v1/pods`. */
    path: string;
    list: () => Promise<k8s.KubernetesListObject<T>>;
    labelSelector?: string;
    onChange: (object: T) => void;
    onDelete: (object: T) => void;
    /** Called with each error. The watch continues by itself. */
    onError: (error: unknown) => void;
}

const restartMilliseconds = 200;

/** Watches objects of one kind. Resolves when the first list has been read, or has failed and is retried. */
export async function watchObjects<T extends k8s.KubernetesObject>(
    client: typeof k8s,
    kubeconfig: k8s.KubeConfig,
    options: WatchOptions<T>,
): Promise<ObjectWatch> {
    const informer = client.makeInformer<T>(kubeconfig, options.path, options.list, options.labelSelector);
    let stopped = false;
    let restart: NodeJS.Timeout | undefined;
    informer.on("add", options.onChange);
    informer.on("update", options.onChange);
    informer.on("delete", options.onDelete);
    informer.on("error", (error: unknown) => {
        if (!stopped) {
            options.onError(error);
            clearTimeout(restart);
            restart = setTimeout(() => void informer.start().catch(options.onError), restartMilliseconds);
        }
    });
    await informer.start();
    return {
        stop: async () => {
            stopped = true;
            clearTimeout(restart);
            await informer.stop();
        },
    };
}
