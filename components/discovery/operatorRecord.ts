import { mergeContainers } from "../kubernetes/mergeContainers";
import type { Container, KubernetesFields } from "../kubernetes/pod";
import { podField, podSpec, withUserEnvironment } from "../kubernetes/podSpec";
import type { MemberSettings } from "../kubernetes/settings";
import { hasClusterTls, hasDiscoveryTls } from "../kubernetes/tls";
import { userContainers, userMounts, userVolumes } from "../kubernetes/userPod";
import type { TidbClusterManifest } from "../spec";
import { discoveryContainer, discoveryVolumes, filesVolume } from "./container";
import { fieldOrders, podFieldOrder } from "./fieldOrder";
import type { DiscoverySpec } from "./spec";

/**
 * tidb-operator's annotation on the discovery Deployment: the pod that it would create for this cluster, as JSON. It is
 * rendered like tidb-operator's, so the objects compare equal; our own pod is in the template. The image in the text is
 * not the image of any tidb-operator release, so a tidb-operator that takes the cluster back replaces our pod with its own
 * (tidb-operator pkg/manager/member/tidb_discovery_manager.go).
 */
export const operatorRecordAnnotation = "pingcap.com/last-applied-podtemplate";

/**
 * @returns the annotation's value: the pod that tidb-operator would create. Its image does not come from the spec. A user's
 * container named discovery is merged before the certificates and the token are added.
 */
export function operatorRecord(
    manifest: TidbClusterManifest,
    spec: DiscoverySpec,
    settings: MemberSettings,
    serviceAccountName: string,
): string {
    const own = discoveryVolumes(manifest, spec).filter(({ volume }) => volume.name !== filesVolume);
    const [container, ...others] = mergeContainers(
        [operatorContainer(manifest, spec, settings)],
        userContainers(spec.additionalContainers),
    );
    const complete = {
        ...container,
        env: [...((container.env ?? []) as KubernetesFields[]), ...tlsVariables(manifest)],
        volumeMounts: [...((container.volumeMounts ?? []) as KubernetesFields[]), ...own.map(({ mount }) => mount)],
    };
    const rendered = podSpec(settings, spec, {
        serviceAccountName,
        initContainers: userContainers(spec.initContainers).map(withResources),
        containers: [complete, ...others].map(withResources),
        volumes: [...userVolumes(spec.additionalVolumes), ...own.map(({ volume }) => volume)],
    });
    const { affinity, dnsConfig, podSecurityContext: securityContext } = settings;
    // tidb-operator's text keeps an empty object from the spec.
    const pod = { ...rendered, affinity, dnsConfig, securityContext };
    return JSON.stringify(ordered(pod, podFieldOrder)).replaceAll(
        'managed-by":"pulumi-tidb"',
        'managed-by":"tidb-operator"',
    );
}

function operatorContainer(manifest: TidbClusterManifest, spec: DiscoverySpec, settings: MemberSettings): Container {
    const variables = [
        podField("MY_POD_NAMESPACE", "metadata.namespace"),
        { name: "TZ", value: manifest.spec.timezone || "UTC" },
        { name: "TC_NAME", value: manifest.metadata.name },
    ];
    return {
        ...discoveryContainer(manifest, spec, settings),
        image: "pingcap/tidb-operator:latest",
        command: ["/usr/local/bin/tidb-discovery"],
        env: withUserEnvironment(variables, spec.env),
        securityContext: spec.securityContext,
        volumeMounts: userMounts(spec.additionalVolumeMounts),
    };
}

function tlsVariables(manifest: TidbClusterManifest): KubernetesFields[] {
    return [
        ...(hasClusterTls(manifest) && manifest.spec.pd !== undefined ? ["TC_TLS_ENABLED"] : []),
        ...(hasDiscoveryTls(manifest) ? ["DISCOVERY_MTLS_ENABLED"] : []),
    ].map((name) => ({ name, value: "true" }));
}

/** Go writes an empty struct as an empty object. */
function withResources(container: Container): Container {
    return { ...container, resources: container.resources ?? {} };
}

/** @returns a value as Go would write it: fields in the order of their type, map keys by name, and no empty or false fields. */
function ordered(value: unknown, order: readonly string[]): unknown {
    if (Array.isArray(value)) {
        return value.map((item) => ordered(item, order));
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
    const entries = Object.entries(value)
        .filter(([key, inner]) => key === "resources" || !isEmpty(key, inner))
        .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner, fieldOrders[key] ?? [])]));
}

function isEmpty(key: string, value: unknown): boolean {
    const isLeftOutWhenFalse = key === "readOnly" || key === "hostNetwork";
    return (
        value === undefined ||
        value === "" ||
        (isLeftOutWhenFalse && value === false) ||
        (Array.isArray(value) && value.length === 0)
    );
}
