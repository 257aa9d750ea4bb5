import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { goesWithClaim, pendingExpansion, volumeFor, volumeNameFor } from "./volumes";

/** Makes, grows and removes the volumes of claims, since the sandbox has no provisioner. */
export interface ClaimBinder {
    stop(): Promise<void>;
}

const retryMilliseconds = 500;

/**
 * Watches all claims: each one that is Pending, whatever its class, gets one volume of the capacity it asks for; a claim
 * that grew gets its volume grown; a claim that is gone takes its volume with it, unless that was set to be retained.
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

    const attempt = (what: string, work: () => Promise<unknown>): void => {
        work().catch((error: unknown) => {
            if (stopped || [404, 409].includes((error as { code?: number }).code ?? 0)) {
                return; // Gone or there already: what was to be done is done, or a later event tells what is.
            }
            log(`claim binder: ${what}: ${describe(error)}; trying again`);
            setTimeout(() => attempt(what, work), retryMilliseconds).unref();
        });
    };
    const onClaim = (claim: k8s.V1PersistentVolumeClaim): void => {
        const label = `${claim.metadata?.namespace}/${claim.metadata?.name}`;
        const volume = volumeFor(claim);
        if (volume !== undefined) {
            attempt(`cannot make a volume for claim ${label}`, () => core.createPersistentVolume({ body: volume }));
        }
        const storage = pendingExpansion(claim);
        if (storage !== undefined) {
            attempt(`cannot grow the volume of claim ${label}`, () => expand(kubernetes, core, claim, storage));
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
    informer.on("error", (error: unknown) => {
        if (!stopped) {
            log(`claim binder: the watch of claims broke off (${describe(error)}); starting it again`);
            setTimeout(() => attempt("cannot watch claims", () => informer.start()), retryMilliseconds).unref();
        }
    });
    await informer.start();
    return {
        stop: async () => {
            stopped = true;
            await informer.stop();
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
