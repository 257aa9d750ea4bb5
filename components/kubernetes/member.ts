import {
    deleteSlotsAnnotation,
    recoveryModeAnnotation,
    statefulSetDeleteSlotsAnnotation,
    templateRevisionAnnotation,
} from "../../topology/annotations";
import { type Component, topology } from "../../topology/members";
import { headlessServiceName, memberName } from "../../topology/names";
import type { TidbClusterManifest } from "../spec";
import { memberConfigMap } from "./configMap";
import { combine, memberLabels, type StringMap } from "./labels";
import type { MemberDescription } from "./memberDescription";
import { type MemberFacts, memberFacts, type StatefulSetParts } from "./memberFacts";
import { memberPod } from "./memberPod";
import { objectMetadata } from "./metadata";
import type { KubernetesObject } from "./object";
import type { KubernetesFields } from "./pod";
import { metricsAnnotations } from "./podSpec";
import { withoutOnlineSettings } from "./onlineConfig";
import { present } from "./present";
import { skipAwait } from "./services";
import { defaultSpread } from "./spread";
import { storageVolumeClaims } from "./storage";
import { templateRevision } from "./templateRevision";
import { type TomlTable, writeConfig } from "./toml";

/** A rendered member: its objects, and the facts about them that the gates need. */
export interface RenderedMember {
    readonly services: KubernetesObject[];
    /** Undefined if the member has no ConfigMap. */
    readonly configMap: KubernetesObject | undefined;
    readonly statefulSet: KubernetesObject;
    /** Default: it has none. */
    readonly disruptionBudget?: KubernetesObject;
    readonly facts: MemberFacts;
}

/** Renders a member. */
export function renderMember(manifest: TidbClusterManifest, description: MemberDescription): RenderedMember {
    const { member, settings, services, spec, online, hasRoot = false } = description;
    const data = configData(description);
    const scope = { component: member, hasRoot };
    const restarting = online ? configData(description, (config) => withoutOnlineSettings(scope, config)) : data;
    const configMapOf = (restart: StringMap) =>
        Object.keys(data).length === 0
            ? undefined
            : memberConfigMap(manifest, member, data, settings.configUpdateStrategy, restart);
    const configMap = configMapOf(restarting);
    const pod = memberPod(manifest, description, configMap?.metadata.name ?? "");
    const template = podTemplate(manifest, description, pod);
    const parts: StatefulSetParts = {
        template,
        templateRevision: templateRevision(template),
        podManagementPolicy: settings.podManagementPolicy,
        serviceName: headlessServiceName(manifest.metadata.name, member),
        claims: [
            ...description.dataVolumes.map(({ claim }) => claim),
            ...storageVolumeClaims(member, spec.storageVolumes, spec),
        ],
    };
    return {
        services,
        configMap,
        statefulSet: statefulSet(manifest, description, parts),
        facts: memberFacts(description, parts, {
            spread: () => defaultSpread(manifest, description),
            isNamedOnline: () => configMapOf(data)?.metadata.name !== configMap?.metadata.name,
            configUpdateStrategy: () => settings.configUpdateStrategy,
        }),
    };
}

/** @returns the data of a member's ConfigMap. @param part what of the configuration to write. Default: all of it. */
function configData(
    { configFiles, configFolder }: MemberDescription,
    part: (config: TomlTable) => TomlTable = (config) => config,
): StringMap {
    return Object.fromEntries([
        ...configFiles.map(({ key, content }) => [
            key,
            typeof content === "string" ? content : writeConfig(part(content)),
        ]),
        ...(configFolder?.files ?? []).map(({ key, config }) => [key, writeConfig(config)]),
    ]) as StringMap;
}

function statefulSet(
    manifest: TidbClusterManifest,
    { member, spec, hasDeleteSlots }: MemberDescription,
    parts: StatefulSetParts,
): KubernetesObject {
    const labels = memberLabels(manifest, member);
    return {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: objectMetadata(
            manifest,
            memberName(manifest.metadata.name, member),
            labels,
            combine(skipAwait, hasDeleteSlots === false ? {} : deleteSlots(manifest, member), {
                [templateRevisionAnnotation]: parts.templateRevision,
            }),
        ),
        spec: {
            podManagementPolicy: parts.podManagementPolicy,
            replicas: spec.replicas,
            selector: { matchLabels: labels },
            serviceName: parts.serviceName,
            template: parts.template,
            // A gate deletes the pods of an older revision, each when it is safe. Nothing else may restart them.
            updateStrategy: { type: "OnDelete" },
            ...present({ volumeClaimTemplates: parts.claims }),
        },
    };
}

function podTemplate(
    manifest: TidbClusterManifest,
    { member, metrics, settings }: MemberDescription,
    pod: KubernetesFields,
): KubernetesFields {
    return {
        metadata: {
            annotations: combine(
                metrics.annotations,
                settings.annotations,
                metricsAnnotations(metrics.port, metrics.path),
                manifest.spec.recoveryMode && topology[member].inRecovery === "restored"
                    ? { [recoveryModeAnnotation]: "true" }
                    : {},
            ),
            labels: combine(memberLabels(manifest, member), settings.labels),
        },
        spec: pod,
    };
}

/** The ordinals that an advanced StatefulSet skips. Kubernetes' StatefulSet ignores the annotation; it is copied anyway. */
function deleteSlots(manifest: TidbClusterManifest, member: Component): StringMap {
    const slots = manifest.metadata.annotations?.[deleteSlotsAnnotation(member)];
    return slots === undefined ? {} : { [statefulSetDeleteSlotsAnnotation]: slots };
}
