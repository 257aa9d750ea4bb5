import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** The pods that a selector has chosen since the watch began. */
export interface LivingPods {
    /** Returns those that do not exist any more, the oldest first. */
    gone(): Promise<{ pod: string; uid: string }[]>;
    stop(): Promise<void>;
}

const againMilliseconds = 1_000;

/** Watches pods, also those that come and go between two questions. */
export async function watchLivingPods(
    kubeconfig: string,
    namespace: string,
    labelSelector: string,
): Promise<LivingPods> {
    const client = await import("@kubernetes/client-node");
    const config = new client.KubeConfig();
    config.loadFromFile(kubeconfig);
    const core = config.makeApiClient(client.CoreV1Api);
    const list = () => core.listNamespacedPod({ namespace, labelSelector });
    const seen = new Map<string, string>();
    const see = ({ metadata: { name = "", uid = "" } = {} }: k8s.V1Pod): void => void seen.set(uid, name);
    const informer = client.makeInformer(config, `/api/v1/namespaces/${namespace}/pods`, list, labelSelector);
    informer.on("add", see);
    informer.on("update", see);
    informer.on("error", () => void setTimeout(() => void informer.start(), againMilliseconds).unref());
    await informer.start();
    return {
        gone: async () => {
            const living = new Set((await list()).items.map(({ metadata }) => metadata?.uid));
            return [...seen].map(([uid, pod]) => ({ pod, uid })).filter(({ uid }) => !living.has(uid));
        },
        stop: () => informer.stop(),
    };
}
