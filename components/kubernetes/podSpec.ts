import type { ComponentSpec } from "../componentSpec";
import type { Container, EnvironmentVariable, KubernetesFields, Volume } from "./pod";
import { present } from "./present";
import type { MemberSettings } from "./settings";

/** How long Kubernetes waits between SIGTERM and SIGKILL, unless the pod says otherwise, in seconds. */
export const defaultGraceSeconds = 30;

/** The parts of a pod, besides its settings. */
export interface PodParts {
    readonly serviceAccountName: string | undefined;
    readonly initContainers: readonly Container[];
    readonly containers: readonly Container[];
    readonly volumes: readonly Volume[];
    /** Replaces the security context of the settings. */
    readonly securityContext?: KubernetesFields;
}

/** Renders the pod spec of a member from its settings and parts. */
export function podSpec(
    settings: MemberSettings,
    member: ComponentSpec | undefined,
    parts: PodParts,
): KubernetesFields {
    return present({
        affinity: settings.affinity,
        automountServiceAccountToken: member?.automountServiceAccountToken,
        containers: parts.containers,
        dnsConfig: settings.dnsConfig,
        dnsPolicy: settings.dnsPolicy,
        hostNetwork: settings.hostNetwork ? true : undefined,
        imagePullSecrets: settings.imagePullSecrets,
        initContainers: parts.initContainers,
        nodeSelector: settings.nodeSelector,
        priorityClassName: settings.priorityClassName,
        restartPolicy: "Always",
        schedulerName: settings.schedulerName,
        securityContext: parts.securityContext ?? settings.podSecurityContext,
        serviceAccountName: parts.serviceAccountName,
        terminationGracePeriodSeconds: member?.terminationGracePeriodSeconds,
        tolerations: settings.tolerations,
        topologySpreadConstraints: settings.topologySpreadConstraints,
        volumes: parts.volumes,
    });
}

/** @returns an environment variable with the value of a pod field: `metadata.namespace`. */
export function podField(name: string, fieldPath: string): EnvironmentVariable {
    return { name, valueFrom: { fieldRef: { fieldPath } } };
}

/** @returns the variables that a member needs, then the user's. The user cannot override the member's variables. */
export function withUserEnvironment(
    own: readonly EnvironmentVariable[],
    user: readonly EnvironmentVariable[] = [],
): EnvironmentVariable[] {
    const names = new Set(own.map((variable) => variable.name));
    return [...own, ...user.filter((variable) => !names.has(variable.name))];
}

/** @returns the annotations with which Prometheus finds a pod's metrics. */
export function metricsAnnotations(port: number, path: string): Record<string, string> {
    return { "prometheus.io/path": path, "prometheus.io/port": String(port), "prometheus.io/scrape": "true" };
}
