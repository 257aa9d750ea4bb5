import type { ConfigDigests } from "../../provider/lifecycle/configEffects/configChange";
import type { FixedClaim, FixedFields } from "../../provider/lifecycle/vocabulary/fixedFields";
import type { Component } from "../../topology/members";
import { imageTag } from "../../topology/imageVersion";
import { configDigests } from "./configValueDigests";
import type { MemberDescription } from "./memberDescription";
import type { Container, KubernetesFields } from "./pod";

/** Facts about a member's objects for the gates. They are collected while rendering, not read back from the objects. */
export interface MemberFacts {
    /** Number of pods. */
    readonly replicas: number;
    /** Image tag of the member's container. */
    readonly version: string;
    /** Digest of the pod template. */
    readonly templateRevision: string;
    /** Fields of the StatefulSet that can never change. */
    readonly fixed: FixedFields;
    /** @returns digests of the configuration's values. They are computed on demand, because only gates need them. */
    config(): ConfigDigests;
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
export function memberFacts(description: MemberDescription, parts: StatefulSetParts): MemberFacts {
    const { podManagementPolicy, serviceName, claims, templateRevision } = parts;
    return {
        replicas: description.spec.replicas,
        version: imageTag(ownImage(parts.template.spec, description.member)),
        templateRevision,
        fixed: { podManagementPolicy, serviceName, claims: claims.map(fixedClaim) },
        config: () => digestsOf(description),
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
    };
}

function digestsOf({ configFiles, configFolder }: MemberDescription): ConfigDigests {
    return Object.assign(
        {},
        ...configFiles.map(({ content }) => (typeof content === "string" ? {} : configDigests(content))),
        ...(configFolder?.files ?? []).map(({ config, path }) => configDigests(config, path)),
    ) as ConfigDigests;
}
