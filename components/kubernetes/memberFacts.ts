import type { ConfigDigests } from "../../provider/lifecycle/configEffects/configChange";
import type { Settings } from "../../provider/lifecycle/vocabulary/settings";
import type { FixedClaim, FixedFields } from "../../provider/lifecycle/vocabulary/fixedFields";
import type { Spread } from "../../provider/lifecycle/vocabulary/spread";
import type { Component } from "../../topology/members";
import { imageTag } from "../../topology/imageVersion";
import type { ConfigUpdateStrategy } from "../componentSpec";
import { configDigests } from "./configValueDigests";
import type { MemberDescription } from "./memberDescription";
import type { Container, KubernetesFields } from "./pod";
import { onlineSettings } from "./onlineConfig";
import { readConfig } from "./toml";

/** Facts about a member's objects for the gates. They are collected while rendering, not read back from the objects. */
export interface MemberFacts {
    /** Number of pods. */
    readonly replicas: number;
    /** Image tag of the member's container. */
    readonly version: string;
    /** Digest of the pod template, without `spread()`. */
    readonly templateRevision: string;
    /** @returns the constraints that the template of a new StatefulSet gets. A function, like those below, so that no digest has it. */
    spread(): Spread;
    /** Fields of the StatefulSet that can never change. */
    readonly fixed: FixedFields;
    /** Keys of the ConfigMap that contain a configuration, each with the prefix of its keys in `config()`. */
    readonly configKeys: readonly ConfigKeyPath[];
    /** @returns digests of the configuration's values. They are computed on demand, because only gates need them. */
    config(): ConfigDigests;
    /** @returns the configuration's values that gates can set on running servers, likewise on demand. */
    settings(): Settings;
    /** @returns whether `operations.rollout.online` gives the ConfigMap another name. */
    isNamedOnline(): boolean;
    /** @returns whether the name of the ConfigMap follows its data, so that another configuration restarts the pods. */
    configUpdateStrategy(): ConfigUpdateStrategy;
}

/** A key of a ConfigMap, and the prefix of its configuration's keys; empty if they have none. */
export interface ConfigKeyPath {
    readonly key: string;
    readonly path: string;
}

/** The parts of a StatefulSet. Only the template can change. */
export interface StatefulSetParts {
    readonly template: KubernetesFields;
    /** Digest of the template. */
    readonly templateRevision: string;
    readonly podManagementPolicy: string;
    readonly serviceName: string;
    readonly claims: KubernetesFields[];
}

/** @returns the facts about a member whose StatefulSet consists of these parts. */
export function memberFacts(
    description: MemberDescription,
    parts: StatefulSetParts,
    {
        spread,
        isNamedOnline,
        configUpdateStrategy,
    }: Pick<MemberFacts, "spread" | "isNamedOnline" | "configUpdateStrategy">,
): MemberFacts {
    const { podManagementPolicy, serviceName, claims, templateRevision } = parts;
    return {
        replicas: description.spec.replicas,
        version: imageTag(ownImage(parts.template.spec, description.member)),
        templateRevision,
        spread,
        fixed: { podManagementPolicy, serviceName, claims: claims.map(fixedClaim) },
        configKeys: configKeysOf(description),
        config: () => digestsOf(description),
        settings: () => settingsOf(description),
        isNamedOnline,
        configUpdateStrategy,
    };
}

/** @returns the image of the member's container. A user's container with the same name can override it. */
function ownImage(pod: KubernetesFields, member: Component): string {
    return (pod.containers as Container[]).find(({ name }) => name === member)?.image ?? "";
}

function fixedClaim({ metadata, spec }: KubernetesFields): FixedClaim {
    return {
        name: metadata.name,
        storage: String(spec.resources.requests.storage),
        storageClass: spec.storageClassName ?? "",
        ...(spec.volumeAttributesClassName ? { attributesClass: spec.volumeAttributesClassName } : {}),
    };
}

function configKeysOf({ configFiles, configFolder }: MemberDescription): ConfigKeyPath[] {
    return [
        ...configFiles.filter(({ content }) => typeof content !== "string").map(({ key }) => ({ key, path: "" })),
        ...(configFolder?.files ?? []).map(({ key, path = "" }) => ({ key, path })),
    ];
}

/** @returns digests of the configuration in the data of a ConfigMap: those of `config()` if it was rendered from it. */
export function digestsOfData(keys: readonly ConfigKeyPath[], data: Readonly<Record<string, string>>): ConfigDigests {
    return Object.assign(
        {},
        ...keys.map(({ key, path }) => (data[key] === undefined ? {} : configDigests(readConfig(data[key]), path))),
    ) as ConfigDigests;
}

function digestsOf({ configFiles, configFolder }: MemberDescription): ConfigDigests {
    return Object.assign(
        {},
        ...configFiles.map(({ content }) => (typeof content === "string" ? {} : configDigests(content))),
        ...(configFolder?.files ?? []).map(({ config, path }) => configDigests(config, path)),
    ) as ConfigDigests;
}

function settingsOf({ member, hasRoot = false, configFiles }: MemberDescription): Settings {
    const tables = configFiles.flatMap(({ content }) => (typeof content === "string" ? [] : [content]));
    return Object.assign(
        {},
        ...tables.map((config) => onlineSettings({ component: member, hasRoot }, config)),
    ) as Settings;
}
