import { sysctlInitAnnotation } from "../../topology/annotations";
import type { Container, KubernetesFields, PodSecurityContext } from "./pod";
import { present } from "./present";
import type { MemberSettings } from "./settings";

/** Who sets a pod's kernel parameters. */
export interface Sysctls {
    readonly initContainers: Container[];
    readonly podSecurityContext: KubernetesFields | undefined;
}

/**
 * Kernel parameters that the kubelet does not allow in a pod's security context are set by a privileged init
 * container instead, where the member's annotation asks for it. It has the member's resources, because a pod reserves
 * the most of what its containers ask for, and has to keep its quality of service.
 */
export function sysctlInit(
    settings: MemberSettings,
    helperImage: string,
    resources: KubernetesFields,
    container: string,
): Sysctls {
    const context: PodSecurityContext | undefined = settings.podSecurityContext;
    const sysctls = context?.sysctls ?? [];
    if (settings.annotations[sysctlInitAnnotation] !== "true" || sysctls.length === 0) {
        return { initContainers: [], podSecurityContext: context };
    }
    const command = ["sysctl", "-w", ...sysctls.map(({ name, value }) => `${name}=${value}`)].join(" ");
    return {
        initContainers: [
            {
                name: container,
                image: helperImage,
                command: ["sh", "-c", command],
                resources,
                securityContext: { privileged: true },
            },
        ],
        podSecurityContext: present({ ...context, sysctls: undefined }),
    };
}
