import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { noProvisioner } from "./localDisks";
import { goesWithClaim, pendingExpansion, volumeFor, volumeNameFor } from "./volumes";

/** Creates, expands and removes the volumes of claims. The sandbox has no other provisioner. */
export interface ClaimBinder {
    stop(): Promise<void>;
}

const retryMilliseconds = 500;

/**
 * Watches all claims. Each Pending claim of a class that exists and has a provisioner, whichever, gets a volume of the requested capacity. A claim that
 * grew gets its volume expanded. When a claim is deleted, its volume is deleted too, unless it is set to be retained.
 */
export async function startClaimBinder(
    kubernetes: typeof k8s,
    kubeconfig: k8s.KubeConfig,
    log: (line: string) => void,
): Promise<ClaimBinder> {
    const core = kubeconfig.makeApiClient(kubernetes.CoreV1Api);
    let stopped = false;
    const informer = kubernetes.makeInformer(kubeconfig, "/api/v1/persistentvolumeclaims", () =>
        core.listPersistentVolumeClaimForAllNamespaces(),
    );

    const classes = kubernetes.makeInformer(kubeconfig, "/apis/storage.k8s.io/v1/storageclasses", () =>
        kubeconfig.makeApiClient(kubernetes.StorageV1Api).listStorageClass(),
    );
    /** Of a class without provisioner Kubernetes binds volumes that exist before the claims. */
    const isProvisioned = (name: string): boolean =>
        (classes.get(name)?.provisioner ?? noProvisioner) !== noProvisioner;

    const attempt = (what: string, work: () => Promise<unknown>): void => {
        work().catch((error: unknown) => {
            if (stopped || [404, 409].includes((error as { code?: number }).code ?? 0)) {
                return; // The object is gone or exists already. Either nothing is left to do, or a later event triggers it.
            }
            log(`claim binder: ${what}: ${describe(error)}; retrying`);
            setTimeout(() => attempt(what, work), retryMilliseconds).unref();
        });
    };
    const onClaim = (claim: k8s.V1PersistentVolumeClaim): void => {
        const label = `${claim.metadata?.namespace}/${claim.metadata?.name}`;
        const volume = volumeFor(claim, isProvisioned);
        if (volume !== undefined) {
            attempt(`cannot create a volume for claim ${label}`, () => core.createPersistentVolume({ body: volume }));
        }
        const storage = pendingExpansion(claim);
        if (storage !== undefined) {
            attempt(`cannot expand the volume of claim ${label}`, () => expand(kubernetes, core, claim, storage));
        }
    };
    const onClaimGone = (claim: k8s.V1PersistentVolumeClaim): void => {
        const name = volumeNameFor(claim);
        attempt(`cannot remove volume ${name}`, async () => {
            if (goesWithClaim(await core.readPersistentVolume({ name }))) {
                await core.deletePersistentVolume({ name });
            }
        });
    };

    informer.on("add", onClaim);
    informer.on("update", onClaim);
    informer.on("delete", onClaimGone);
    // A claim may have waited for its class.
    classes.on("add", () => informer.list().forEach(onClaim));
    const all = [
        ["classes", classes],
        ["claims", informer],
    ] as const;
    for (const [what, watch] of all) {
        watch.on("error", (error: unknown) => {
            if (!stopped) {
                log(`claim binder: the watch of ${what} failed (${describe(error)}); restarting it`);
                setTimeout(() => attempt(`cannot watch ${what}`, () => watch.start()), retryMilliseconds).unref();
            }
        });
        await watch.start();
    }
    return {
        stop: async () => {
            stopped = true;
            await Promise.all(all.map(([, watch]) => watch.stop()));
        },
    };
}

async function expand(
    kubernetes: typeof k8s,
    core: k8s.CoreV1Api,
    claim: k8s.V1PersistentVolumeClaim,
    storage: string,
): Promise<void> {
    const merge = kubernetes.setHeaderOptions("Content-Type", kubernetes.PatchStrategy.MergePatch);
    await core.patchPersistentVolume(
        { name: claim.spec?.volumeName ?? "", body: { spec: { capacity: { storage } } } },
        merge,
    );
    await core.patchNamespacedPersistentVolumeClaimStatus(
        {
            name: claim.metadata?.name ?? "",
            namespace: claim.metadata?.namespace ?? "",
            body: { status: { capacity: { storage } } },
        },
        merge,
    );
}

function describe(error: unknown): string {
    return error instanceof Error ? error.message.split("\n")[0] : String(error);
}
