import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { cleanedVolume, type DiskClass, diskVolumes, provisionerSelector, runningProvisioner } from "./localDisks";

const retryMilliseconds = 500;

/** Plays the local static provisioner. */
export interface LocalProvisioner {
    stop(): Promise<void>;
}

/**
 * Plays what runs in the pods of the local static provisioner: each Ready pod makes a volume of every disk of its node, for the
 * classes in its ConfigMap, and cleans released volumes. No container runs in the sandbox.
 */
export async function startLocalProvisioner(
    kubernetes: typeof k8s,
    kubeconfig: k8s.KubeConfig,
    log: (line: string) => void,
): Promise<LocalProvisioner> {
    const core = kubeconfig.makeApiClient(kubernetes.CoreV1Api);
    const storage = kubeconfig.makeApiClient(kubernetes.StorageV1Api);
    const { parse } = await import("yaml");
    let stopped = false;

    const attempt = (what: string, work: () => Promise<unknown>): void => {
        work().catch((error: unknown) => {
            if (stopped || codeOf(error) === 404) {
                return; // The object is gone. A later event triggers what is left to do.
            }
            log(`local provisioner: ${what}: ${error instanceof Error ? error.message : String(error)}; retrying`);
            setTimeout(() => attempt(what, work), retryMilliseconds).unref();
        });
    };
    const create = async (body: k8s.V1PersistentVolume): Promise<void> => {
        try {
            await core.createPersistentVolume({ body });
        } catch (error) {
            if (codeOf(error) !== 409) {
                throw error;
            }
        }
    };
    const started = new Set<string>();
    const onPod = (pod: k8s.V1Pod): void => {
        const running = runningProvisioner(pod);
        const uid = pod.metadata?.uid ?? "";
        if (running === undefined || started.has(uid)) {
            return;
        }
        started.add(uid);
        const { node, namespace, configMap } = running;
        attempt(`cannot make the volumes of ${node}`, async () => {
            const { data } = await core.readNamespacedConfigMap({ namespace, name: configMap });
            const classes = Object.entries(parse(data?.storageClassMap ?? "{}") as Record<string, DiskClass>);
            for (const [name, disks] of classes) {
                const { reclaimPolicy } = await storage.readStorageClass({ name });
                await Promise.all(diskVolumes(node, name, disks, reclaimPolicy).map(create));
            }
        });
    };
    const onVolume = (volume: k8s.V1PersistentVolume): void => {
        const cleaned = cleanedVolume(volume);
        if (cleaned !== undefined) {
            const name = volume.metadata?.name ?? "";
            attempt(`cannot clean volume ${name}`, async () => {
                await core.deletePersistentVolume({ name });
                await gone(() => core.readPersistentVolume({ name }));
                await create(cleaned);
            });
        }
    };

    const pods = kubernetes.makeInformer(
        kubeconfig,
        "/api/v1/pods",
        () => core.listPodForAllNamespaces({ labelSelector: provisionerSelector }),
        provisionerSelector,
    );
    const volumes = kubernetes.makeInformer(kubeconfig, "/api/v1/persistentvolumes", () => core.listPersistentVolume());
    const watch = <T extends k8s.KubernetesObject>(
        informer: k8s.Informer<T>,
        see: (object: T) => void,
    ): Promise<void> => {
        informer.on("add", see);
        informer.on("update", see);
        informer.on("error", () => {
            if (!stopped) {
                setTimeout(() => attempt("cannot watch", () => informer.start()), retryMilliseconds).unref();
            }
        });
        return informer.start();
    };
    await Promise.all([watch(pods, onPod), watch(volumes, onVolume)]);
    return {
        stop: async () => {
            stopped = true;
            await Promise.all([pods.stop(), volumes.stop()]);
        },
    };
}

/** Waits until an object is gone: its finalizer may take a moment. */
async function gone(read: () => Promise<unknown>): Promise<void> {
    try {
        for (;;) {
            await read();
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
    } catch (error) {
        if (codeOf(error) !== 404) {
            throw error;
        }
    }
}

function codeOf(error: unknown): number {
    return (error as { code?: number }).code ?? 0;
}
