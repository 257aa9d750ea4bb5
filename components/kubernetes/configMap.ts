import { createHash } from "node:crypto";
import type { Component } from "../../topology/members";
import { memberName } from "../../topology/names";
import type { ConfigUpdateStrategy } from "../componentSpec";
import type { TidbClusterManifest } from "../spec";
import { memberLabels } from "./labels";
import { objectMetadata } from "./metadata";
import type { KubernetesObject } from "./object";

/** Number of hexadecimal digits of the digest in a ConfigMap's name: 40 bits, so two configurations do not share a name. */
const digestLength = 10;

/**
 * Renders a member's ConfigMap. With `RollingUpdate` its name ends with a digest of its data. The pod template contains the
 * name, so a changed configuration restarts the pods.
 *
 * @param restarting the part of the data whose change restarts the pods. Default: all of it.
 */
export function memberConfigMap(
    manifest: TidbClusterManifest,
    member: Component,
    data: Record<string, string>,
    strategy: ConfigUpdateStrategy,
    restarting = data,
): KubernetesObject {
    const base = memberName(manifest.metadata.name, member);
    const name = strategy === "RollingUpdate" ? `${base}-${digest(restarting)}` : base;
    return {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: objectMetadata(manifest, name, memberLabels(manifest, member)),
        data,
    };
}

/** @returns a digest of a ConfigMap's data. It does not depend on the order of the keys. */
export function digest(data: Record<string, string>): string {
    const entries = Object.entries(data).sort(([one], [other]) => (one < other ? -1 : 1));
    return createHash("sha256").update(JSON.stringify(entries)).digest("hex").slice(0, digestLength);
}
