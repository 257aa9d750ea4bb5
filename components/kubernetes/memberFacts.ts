import type { ConfigDigests } from "../../provider/lifecycle/configEffects/configChange";
import type { FixedClaim, FixedFields } from "../../provider/lifecycle/vocabulary/fixedFields";
import type { Component } from "../../topology/members";
import { imageTag } from "../imageVersion";
import { configDigests } from "./configDigests";
import type { MemberDescription } from "./memberDescription";
import type { Container, KubernetesFields } from "./pod";

/** What gates are told of a member's objects. It is known when they are rendered, and is not read back out of them. */
export interface MemberFacts {
    /** Number of its pods. */
    readonly replicas: number;
    /** Tag of the image that its own container runs. */
    readonly version: string;
    /** Digest of its pods' template. */
    readonly templateRevision: string;
    /** What of its StatefulSet can never change. */
    readonly fixed: FixedFields;
    /** What its configuration says, as digests. They are made when they are asked for: gates alone need them. */
    config(): ConfigDigests;
}

/** What a StatefulSet is made of. All but the template can never change. */
export interface StatefulSetParts {
    readonly template: KubernetesFields;
    /** Digest of the template. */
    readonly templateRevision: string;
    readonly podManagementPolicy: string;
    readonly serviceName: string;
    readonly claims: KubernetesFields[];
}

/** @returns what gates are told of a member whose StatefulSet is made of this. */
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

/** The image that the member's own container runs: a container of the user's with its name may name another one. */
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
