import { diffProperties } from "../diff";
import { pathContains } from "../propertyPath";
import { type CreateAnswer, type Provider } from "../provider";
import { nameOf } from "../urn";
import { containsUnknowns, type PropertyMap, type PropertyValue } from "../values";
import { type KubernetesClient, kubernetesClient, KubernetesError } from "./client";
import { connect } from "./connection";
import { clusterSettings, ClusterUnreachable } from "./kubeconfig";
import { dropForeignFields } from "./ignoredFields";
import { comparedInputs, pruneTo } from "./liveInputs";
import * as objects from "./objects";
import { awaitDeleted } from "./readiness";
import { replacingPaths } from "./replacements";
import { type ManagedFields, withFieldsTakenOver } from "./takenOver";
import {
    createNew,
    explain,
    fieldManagerOf,
    isForced,
    isPatch,
    keyOf,
    previewCreate,
    reach,
    untilReady,
} from "./writing";

/** What a Kubernetes provider gets from the run it belongs to. */
export interface KubernetesProviderContext {
    environment: NodeJS.ProcessEnv;
    /** The stack's configuration, such as `kubernetes:kubeconfig`. Used by the default provider. */
    config: Record<string, string>;
    /** Relative paths are resolved against this folder. */
    folder: string;
    /** Shows what a resource is waiting for in the resource's own line. */
    status(urn: string, message: string): void;
}

/** Kinds whose deletion pulumi-kubernetes does not wait for under skipAwait (metadata/overrides.go). */
const skipsDeleteAwait = ["Namespace", "Pod", "ReplicationController", "DaemonSet", "Deployment", "StatefulSet", "Job"];

/**
 * Manages Kubernetes objects in the same way as pulumi-kubernetes in its default mode. An object is created as new (an
 * existing one is an error), changed by server-side apply under a separate field manager, and deleted in the
 * foreground. Previews send a dry run to the server. As there, only an update takes over the fields of kubectl, so a preview does not
 * show that they go.
 */
export function kubernetesProvider(inputs: PropertyMap, context: KubernetesProviderContext): Provider {
    const settings = clusterSettings(inputs, context.config, context.environment);
    let client: Promise<KubernetesClient> | undefined;
    const getClient = (): Promise<KubernetesClient> =>
        (client ??= connect(settings, context.folder).then(kubernetesClient));

    return {
        async check({ urn, type, olds, news }) {
            const checked = objects.normalizeInputs(news, olds, nameOf(urn));
            if (isPatch(type) && objects.isAutonamed(checked)) {
                return {
                    inputs: news,
                    failures: [{ property: "metadata.name", reason: "a Patch resource needs a name" }],
                };
            }
            await setNamespace(getClient, checked);
            return { inputs: objects.hideSecretData(checked), failures: [] };
        },
        async diff({ type, oldInputs, oldOutputs, news, ignoreChanges }) {
            const { before, after } = comparedInputs(oldInputs, oldOutputs, news);
            const changed = diffProperties(before, after)
                .map(({ path }) => path)
                .filter((path) => !ignoreChanges.some((each) => pathContains(each, path)));
            const replaces = isPatch(type)
                ? changed.filter((path) => path === "metadata.name" || path === "metadata.namespace")
                : replacingPaths(objects.asObject(news), changed, settings.enableConfigMapMutable);
            return {
                changes: changed.length > 0 ? "some" : "none",
                replaces,
                deleteBeforeReplace: replaces.length > 0 && keepsItsName(oldInputs, news),
            };
        },
        async create({ urn, type, inputs: wanted, preview }): Promise<CreateAnswer> {
            const fieldManager = fieldManagerOf(wanted);
            if (preview) {
                return { outputs: await previewCreate(getClient, type, wanted, fieldManager) };
            }
            const kubernetes = await reach(getClient);
            const object = objects.asObject(wanted);
            const upsert = settings.upsertExistingObjects || isPatch(type);
            const written = await (
                upsert
                    ? kubernetes.apply(object, { fieldManager, force: isForced(wanted) })
                    : createNew(kubernetes, object, fieldManager)
            ).catch((error: Error) => {
                throw new Error(
                    `resource "${urn}" was not successfully created by the Kubernetes API server: ${explain(error, fieldManager)}`,
                );
            });
            const outputs = await untilReady(kubernetes, written, wanted, fieldManager, (text) =>
                context.status(urn, text),
            );
            return { id: objects.idOf(written), outputs };
        },
        async update({ urn, type, oldOutputs, news, ignoreChanges, preview }) {
            const fieldManager = fieldManagerOf(news, oldOutputs);
            if (preview && containsUnknowns(news)) {
                return { outputs: news };
            }
            const kubernetes = await reach(getClient);
            const key = { ...keyOf(news), name: objects.asObject(oldOutputs).metadata.name ?? "" };
            const found = await kubernetes.get(key);
            if (found === undefined) {
                throw new Error(`${key.kind} ${key.name} is no longer in the cluster; run \`pulumi refresh\``);
            }
            const managed = (found.metadata.managedFields ?? []) as ManagedFields[];
            const taken = preview || isPatch(type) ? undefined : withFieldsTakenOver(managed, fieldManager);
            const live = taken === undefined ? found : await kubernetes.setManagedFields(key, taken);
            const object = dropForeignFields(
                objects.asObject(structuredClone(news)),
                live,
                fieldManager,
                ignoreChanges,
            );
            const written = await kubernetes
                .apply(object, { fieldManager, force: isForced(news), dryRun: preview })
                .catch((error: Error) => {
                    throw new Error(`update of resource "${urn}" failed: ${explain(error, fieldManager)}`);
                });
            if (preview) {
                return { outputs: objects.checkpoint(written, news, fieldManager) };
            }
            return {
                outputs: await untilReady(kubernetes, written, news, fieldManager, (text) => context.status(urn, text)),
            };
        },
        async delete({ type, id, inputs: old, outputs }) {
            const kubernetes = await reach(getClient);
            const { apiVersion, kind } = keyOf(Object.keys(old).length > 0 ? old : outputs);
            const key = { apiVersion, kind, ...objects.parseId(id) };
            if (isPatch(type)) {
                const identity = { apiVersion, kind, metadata: { name: key.name, namespace: key.namespace } };
                await kubernetes.apply(identity, { fieldManager: fieldManagerOf(old, outputs) });
                return;
            }
            const { uid } = objects.asObject(outputs).metadata;
            if (!(await kubernetes.delete(key, propagationOf(old)))) {
                return;
            }
            if (!(objects.skipsAwait(old) && skipsDeleteAwait.includes(kind))) {
                await awaitDeleted(kubernetes, { ...key, uid });
            }
        },
        async read({ id, inputs: old, outputs }) {
            const kubernetes = await reach(getClient);
            const known = Object.keys(old).length > 0 ? old : outputs;
            const live = await kubernetes.get({ ...keyOf(known), ...objects.parseId(id) });
            if (live === undefined) {
                return undefined;
            }
            const liveInputs = pruneTo(live as unknown as PropertyValue, known) as PropertyMap;
            const fieldManager = fieldManagerOf(liveInputs, outputs);
            return { id, inputs: liveInputs, outputs: objects.checkpoint(live, liveInputs, fieldManager) };
        },
    };
}

/** Kinds without namespaces, for use when the cluster cannot be queried. */
const clusterScoped = ["Namespace", "Node", "ClusterRole", "ClusterRoleBinding", "StorageClass", "PersistentVolume"];

/** Sets the default namespace in an object that names none, if its kind has namespaces. */
async function setNamespace(getClient: () => Promise<KubernetesClient>, properties: PropertyMap): Promise<void> {
    const { apiVersion, kind, metadata } = objects.asObject(properties);
    if (metadata.namespace !== undefined && metadata.namespace !== "") {
        return;
    }
    try {
        const client = await getClient();
        if (await client.isNamespaced(apiVersion, kind)) {
            metadata.namespace = client.namespace;
        }
    } catch (error) {
        // A preview must not need the cluster. An update reports why it cannot be reached when it writes.
        if (!(error instanceof ClusterUnreachable || error instanceof KubernetesError)) {
            throw error;
        }
        if (!clusterScoped.includes(kind)) {
            metadata.namespace = "default";
        }
    }
}

/** Whether name and namespace stay the same, so the new object cannot exist next to the old one. */
function keepsItsName(oldInputs: PropertyMap, news: PropertyMap): boolean {
    const [before, after] = [objects.asObject(oldInputs).metadata, objects.asObject(news).metadata];
    const sameNamespace = (before.namespace ?? "default") === (after.namespace ?? "default");
    return !objects.isAutonamed(news) && before.name === after.name && sameNamespace;
}

function propagationOf(inputs: PropertyMap): string {
    const asked = objects.annotation(inputs, "pulumi.com/deletionPropagationPolicy")?.toLowerCase();
    return asked === "orphan" ? "Orphan" : asked === "background" ? "Background" : "Foreground";
}
