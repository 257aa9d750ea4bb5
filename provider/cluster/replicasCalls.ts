import type { AppsV1Api, V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { StatefulSetReplicas } from "../lifecycle/vocabulary/actions";
import type { ReadCalls } from "./readCalls";
import { withReplicasGivenBack } from "./replicasOwner";
import { StaleDecision } from "./staleDecision";
import { staleOnConflict } from "./staleOnConflict";

/** Calls that change a StatefulSet's number of replicas without `pulumi up`. */
export interface ReplicasCalls {
    /** @throws StaleDecision if the StatefulSet has another number of replicas by now, or was created anew. */
    setReplicas(namespace: string, from: StatefulSetReplicas, replicas: number): Promise<void>;
    /** Gives the field back to Pulumi's field manager, so a later `pulumi up` may change it. @throws as `setReplicas` does. */
    giveReplicasBack(namespace: string, from: StatefulSetReplicas): Promise<void>;
}

/** A merge patch of a StatefulSet, or of its subresource `scale`, under the gates' field manager. */
type Patch = (namespace: string, name: string, body: object) => Promise<unknown>;

/**
 * The number is changed through the subresource `scale`: with `patch` of StatefulSets the controller could mount any Secret of the namespace
 * into their pods. Only `pulumi up`, whose user writes StatefulSets anyway, gives the field back.
 */
export function replicasCalls(
    { read }: Pick<ReadCalls, "read">,
    apps: Pick<AppsV1Api, "readNamespacedStatefulSet">,
    patches: { scale: Patch; whole: Patch },
): ReplicasCalls {
    const change = (
        namespace: string,
        from: StatefulSetReplicas,
        patch: Patch,
        bodyOf: (live: V1StatefulSet) => object,
    ) => {
        const { name } = from;
        return staleOnConflict(`StatefulSet ${name}`, async () => {
            const live = await read(`read StatefulSet ${name}`, () =>
                apps.readNamespacedStatefulSet({ namespace, name }),
            );
            assertUnchanged(live, from);
            // With its version the patch fails if anybody changes the object in between.
            const { uid, resourceVersion } = live.metadata ?? {};
            const { metadata, ...body } = bodyOf(live) as { metadata?: object };
            await patch(namespace, name, { ...body, metadata: { uid, resourceVersion, ...metadata } });
        });
    };
    return {
        setReplicas: (namespace, from, replicas) =>
            change(namespace, from, patches.scale, () => ({ spec: { replicas } })),
        giveReplicasBack: (namespace, from) =>
            change(namespace, from, patches.whole, ({ metadata }) => ({
                metadata: { managedFields: withReplicasGivenBack(metadata?.managedFields ?? []) },
            })),
    };
}

function assertUnchanged({ metadata, spec }: V1StatefulSet, { name, uid, replicas }: StatefulSetReplicas): void {
    if (metadata?.uid !== uid || spec?.replicas !== replicas) {
        const seen = metadata?.uid === uid ? `has ${spec?.replicas} replicas` : "was created anew";
        throw new StaleDecision(
            `StatefulSet ${name} ${seen}, expected ${replicas} replicas, as observed: nothing was done to it; it is observed again`,
        );
    }
}
