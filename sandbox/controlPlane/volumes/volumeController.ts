import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { driverOf } from "./driver";
import { newMemory, nextVolumeStep, writes } from "./nextVolumeStep";
import { goesWithClaim, volumeFor, volumeNameFor } from "./provisioning";
import type { VolumeMemory, VolumeStep, VolumeWorld } from "./step";
import { writeEvent } from "./volumeEvents";
import { keepObjects, type WatchedObjects } from "./watchedObjects";

/** Creates, grows, modifies and removes the volumes of claims. The sandbox has no other provisioner. */
export interface VolumeController {
    stop(): Promise<void>;
}

type Claim = k8s.V1PersistentVolumeClaim;

const retryMilliseconds = 500;

/**
 * Takes the place of a CSI driver with its provisioner and resizer, and of the kubelets as far as they grow file systems. Each claim of a class that
 * has a provisioner, whichever, gets a volume, which is deleted with the claim unless it is set to be retained. The driver of the claim's class says
 * how volumes grow.
 */
export async function startVolumeController(
    kubernetes: typeof k8s,
    kubeconfig: k8s.KubeConfig,
    log: (line: string) => void,
): Promise<VolumeController> {
    const core = kubeconfig.makeApiClient(kubernetes.CoreV1Api);
    const storage = kubeconfig.makeApiClient(kubernetes.StorageV1Api);
    const merge = kubernetes.setHeaderOptions("Content-Type", kubernetes.PatchStrategy.MergePatch);
    /** By the claim's uid. */
    const memories = new Map<string, VolumeMemory>();
    const timers = new Map<string, NodeJS.Timeout>();
    const due = new Map<string, Claim>();
    let isStarted = false;
    let isStopped = false;
    let isWorking = false;

    const consider = (claim: Claim): void => {
        due.set(uidOf(claim), claim);
        void work();
    };
    /** One claim after the other, so that each sees what was done for the one before it. */
    const work = async (): Promise<void> => {
        if (!isStarted || isWorking) {
            return;
        }
        isWorking = true;
        for (const [uid, claim] of due) {
            due.delete(uid);
            await attempt(claim);
        }
        isWorking = false;
    };
    const again = (claim: Claim, milliseconds: number): void => {
        clearTimeout(timers.get(uidOf(claim)));
        timers.set(uidOf(claim), setTimeout(() => consider(claim), milliseconds).unref());
    };
    const attempt = async (claim: Claim): Promise<void> => {
        try {
            await (isStopped ? undefined : careFor(claim));
        } catch (error) {
            // The object is gone, exists already, or has changed: a later event of the watch triggers what is left to do.
            if (!isStopped && ![404, 409].includes(codeOf(error))) {
                const { namespace, name } = claim.metadata ?? {};
                log(`volumes: cannot care for the volume of claim ${namespace}/${name}: ${describe(error)}; retrying`);
                again(claim, retryMilliseconds);
            }
        }
    };

    const careFor = async ({ metadata }: Claim): Promise<void> => {
        for (;;) {
            const claim = claims.get(metadata?.name ?? "", metadata?.namespace);
            if (claim === undefined || claim.metadata?.uid !== metadata?.uid) {
                return;
            }
            if (claim.spec?.volumeName === undefined) {
                return provide(claim);
            }
            const world = worldOf(claim);
            const step = nextVolumeStep(world, memories.get(uidOf(claim)) ?? newMemory);
            await carryOut(world, step);
            if (!writes(step)) {
                if (step.againAt !== undefined) {
                    again(claim, Math.max(0, step.againAt - world.now));
                }
                return;
            }
        }
    };
    const provide = async (claim: Claim): Promise<void> => {
        const storageClass = classes.get(claim.spec?.storageClassName ?? "");
        if (volumes.get(volumeNameFor(claim)) !== undefined) {
            return;
        }
        const body = wantedVolume(claim, storageClass, nodes.all());
        if (typeof body === "string") {
            const why = `rpc error: code = InvalidArgument desc = ${body}`;
            const message = `failed to provision volume with StorageClass "${storageClass?.metadata?.name}": ${why}`;
            const from = storageClass?.provisioner ?? "";
            await writeEvent(kubernetes, core, claim, { type: "Warning", reason: "ProvisioningFailed", message, from });
        } else if (body !== undefined) {
            await core.createPersistentVolume({ body });
        }
    };
    const worldOf = (claim: Claim): VolumeWorld => {
        const { name, namespace, uid } = claim.metadata ?? {};
        const storageClass = classes.get(claim.spec?.storageClassName ?? "");
        const volume = volumes.get(claim.spec?.volumeName ?? "");
        return {
            claim,
            volume: volume?.spec?.claimRef?.uid === uid ? volume : undefined,
            driver: storageClass === undefined ? undefined : driverOf(storageClass),
            attributesClass: attributesClasses.get(claim.spec?.volumeAttributesClassName ?? ""),
            others: volumes.all().filter(({ metadata, spec }) => {
                const isOther = metadata?.name !== claim.spec?.volumeName;
                return isOther && spec?.storageClassName === claim.spec?.storageClassName;
            }),
            pods: pods
                .all()
                .filter((pod) => pod.metadata?.namespace === namespace && claimsOf(pod).includes(name ?? ""))
                .filter(({ status }) => !["Succeeded", "Failed"].includes(status?.phase ?? "")),
            nodes: nodes.all(),
            now: Date.now(),
        };
    };
    const carryOut = async ({ claim, volume }: VolumeWorld, step: VolumeStep): Promise<void> => {
        const { name = "", namespace = "", resourceVersion } = claim.metadata ?? {};
        if (step.volume !== undefined) {
            volumes.put(
                await core.patchPersistentVolume({ name: volume?.metadata?.name ?? "", body: step.volume }, merge),
            );
        }
        if (step.status !== undefined) {
            // Refused if the claim has changed meanwhile.
            const body = { metadata: { resourceVersion }, status: step.status };
            claims.put(await core.patchNamespacedPersistentVolumeClaimStatus({ name, namespace, body }, merge));
        }
        memories.set(uidOf(claim), step.memory);
        for (const event of step.events ?? []) {
            await writeEvent(kubernetes, core, claim, event);
        }
    };
    const onGone = (claim: Claim): void => {
        for (const known of [due, memories]) {
            known.delete(uidOf(claim));
        }
        clearTimeout(timers.get(uidOf(claim)));
        timers.delete(uidOf(claim));
        void remove(volumeNameFor(claim));
    };
    const remove = async (name: string): Promise<void> => {
        try {
            if (goesWithClaim(await core.readPersistentVolume({ name }))) {
                await core.deletePersistentVolume({ name });
            }
        } catch (error) {
            if (!isStopped && codeOf(error) !== 404) {
                log(`volumes: cannot remove volume ${name}: ${describe(error)}; retrying`);
                setTimeout(() => void remove(name), retryMilliseconds).unref();
            }
        }
    };

    const watch = <T extends k8s.KubernetesObject>(
        path: string,
        list: () => Promise<k8s.KubernetesListObject<T>>,
        onChange: (object: T) => void,
        onDelete: (object: T) => void = onChange,
    ): Promise<WatchedObjects<T>> => {
        const onError = (error: unknown): void =>
            log(`volumes: the watch of ${path} failed (${describe(error)}); restarting it`);
        return keepObjects(kubernetes, kubeconfig, { path, list, onChange, onDelete, onError });
    };
    const considerNamed = (namespace: string | undefined, name: string | undefined): void => {
        const claim = claims.get(name ?? "", namespace);
        if (claim !== undefined) {
            consider(claim);
        }
    };
    const considerAll = (): void => claims.all().forEach(consider);
    const claims = await watch(
        "/api/v1/persistentvolumeclaims",
        () => core.listPersistentVolumeClaimForAllNamespaces(),
        consider,
        onGone,
    );
    const volumes = await watch(
        "/api/v1/persistentvolumes",
        () => core.listPersistentVolume(),
        ({ spec }) => considerNamed(spec?.claimRef?.namespace, spec?.claimRef?.name),
    );
    const pods = await watch(
        "/api/v1/pods",
        () => core.listPodForAllNamespaces(),
        (pod) => claimsOf(pod).forEach((name) => considerNamed(pod.metadata?.namespace, name)),
    );
    const nodes = await watch("/api/v1/nodes", () => core.listNode(), considerAll);
    const classes = await watch(
        "/apis/storage.k8s.io/v1/storageclasses",
        () => storage.listStorageClass(),
        considerAll,
    );
    const attributesClasses = await watch(
        "/apis/storage.k8s.io/v1/volumeattributesclasses",
        () => storage.listVolumeAttributesClass(),
        considerAll,
    );
    isStarted = true;
    void work();
    return {
        stop: async () => {
            isStopped = true;
            timers.forEach((timer) => clearTimeout(timer));
            await Promise.all([claims, volumes, pods, nodes, classes, attributesClasses].map((one) => one.stop()));
        },
    };
}

/** The volume that a claim waits for, or what is wrong with the parameters of its class. */
function wantedVolume(...of: Parameters<typeof volumeFor>): ReturnType<typeof volumeFor> | string {
    try {
        return volumeFor(...of);
    } catch (error) {
        return describe(error);
    }
}

function claimsOf({ spec }: k8s.V1Pod): string[] {
    return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}

function uidOf({ metadata }: k8s.KubernetesObject): string {
    return metadata?.uid ?? "";
}

function codeOf(error: unknown): number {
    return (error as { code?: number }).code ?? 0;
}

function describe(error: unknown): string {
    return error instanceof Error ? error.message.split("\n")[0] : String(error);
}
