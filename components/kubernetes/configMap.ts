import { createHash } from "node:crypto";
import type { Component } from "../../topology/members";
import { memberName } from "../../topology/names";
import type { ConfigUpdateStrategy } from "../componentSpec";
import type { TidbClusterManifest } from "../spec";
import { memberLabels } from "./labels";
import { objectMetadata } from "./metadata";
import type { KubernetesObject } from "./object";

/** Hexadecimal digits of a digest in a ConfigMap's name: 40 bits, so that two configurations never share a name. */
const digestLength = 10;

/**
 * A member's ConfigMap. With `RollingUpdate` its name ends in a digest of its data, so that a pod says by its
 * template which configuration it runs, and a changed one restarts it.
 */
export function memberConfigMap(
    manifest: TidbClusterManifest,
    member: Component,
    data: Record<string, string>,
    strategy: ConfigUpdateStrategy,
): KubernetesObject {
    const base = memberName(manifest.metadata.name, member);
    const name = strategy === "RollingUpdate" ? `${base}-${digest(data)}` : base;
    return {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: objectMetadata(manifest, name, memberLabels(manifest, member)),
        data,
    };
}

/** Digest of a ConfigMap's data; the order of its keys does not matter. */
export function digest(data: Record<string, string>): string {
    const entries = Object.entries(data).sort(([one], [other]) => (one < other ? -1 : 1));
    return createHash("sha256").update(JSON.stringify(entries)).digest("hex").slice(0, digestLength);
}
