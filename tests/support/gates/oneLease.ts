import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";

/** A Lease as the API server keeps it: a merge patch with a stale resource version is a conflict. */
export class OneLease {
    lease: V1Lease = { metadata: { name: "basic-pulumi-tidb", uid: "1", resourceVersion: "1" }, spec: {} };
    unreachable = false;

    readonly api = {
        readLease: () => this.answer(() => structuredClone(this.lease)),
        patchLease: (_namespace: string, _name: string, patch: Patch) => this.answer(() => this.patch(patch)),
    } as unknown as KubernetesApi;

    patch({ metadata = {}, spec = {} }: Patch): V1Lease {
        const version = this.lease.metadata?.resourceVersion;
        if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== version) {
            throw new KubernetesApiError("did not write Lease: 409 the object has been modified", 409);
        }
        const annotations = merged(this.lease.metadata?.annotations, metadata.annotations) as Record<string, string>;
        this.lease = {
            metadata: { ...this.lease.metadata, annotations, resourceVersion: String(Number(version) + 1) },
            spec: merged(this.lease.spec, spec),
        };
        return structuredClone(this.lease);
    }

    private answer<T>(work: () => T): Promise<T> {
        return this.unreachable
            ? Promise.reject(new KubernetesApiError("the API server did not answer", undefined))
            : Promise.resolve().then(work);
    }
}

interface Patch {
    metadata?: { resourceVersion?: string; annotations?: Record<string, string | null> };
    spec?: object;
}

function merged(old: object = {}, patch: object = {}): object {
    return Object.fromEntries(Object.entries({ ...old, ...patch }).filter(([, value]) => value !== null));
}
