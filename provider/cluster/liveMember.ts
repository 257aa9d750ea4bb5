import { templateRevisionAnnotation } from "../../topology/annotations";
import type { ReadCalls } from "./readCalls";

/** What the last update left in Kubernetes of a member: what its pods get when they start. */
export interface LiveMember {
    /** Digest of the pod template; undefined if something else wrote the StatefulSet. */
    readonly templateRevision: string | undefined;
    /** Data of the member's ConfigMap; undefined if it has none. */
    readonly config: Readonly<Record<string, string>> | undefined;
    /** Name of that ConfigMap. Default: not known. */
    readonly configMap?: string;
}

/** Reads a member's StatefulSet and the ConfigMap that its template names; `undefined` if there is no StatefulSet. */
export async function readLiveMember(
    { apps, core, readOrMissing }: ReadCalls,
    namespace: string,
    name: string,
): Promise<LiveMember | undefined> {
    const statefulSet = await readOrMissing(`read StatefulSet ${name}`, () =>
        apps.readNamespacedStatefulSet({ namespace, name }),
    );
    if (statefulSet === undefined) {
        return undefined;
    }
    const names = (statefulSet.spec?.template.spec?.volumes ?? []).flatMap(({ configMap }) => configMap?.name ?? []);
    const own = names.find((mounted) => isOwn(mounted, name));
    const configMap =
        own === undefined
            ? undefined
            : await readOrMissing(`read ConfigMap ${own}`, () =>
                  core.readNamespacedConfigMap({ namespace, name: own }),
              );
    return {
        templateRevision: statefulSet.metadata?.annotations?.[templateRevisionAnnotation],
        config: configMap?.data,
        ...(own === undefined ? {} : { configMap: own }),
    };
}

/** A ConfigMap is named after its member, and may end with a digest. A user's volumes have other names. */
function isOwn(configMap: string, statefulSet: string): boolean {
    return configMap.startsWith(statefulSet) && /^(-[0-9a-f]{10})?$/.test(configMap.slice(statefulSet.length));
}
