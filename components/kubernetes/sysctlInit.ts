import { sysctlInitAnnotation } from "../../topology/annotations";
import type { Container, KubernetesFields, PodSecurityContext } from "./pod";
import { present } from "./present";
import type { MemberSettings } from "./settings";
import { literalInPod, shellWord } from "./shellQuote";

/** How a pod's kernel parameters are set: by init containers or by the pod's security context. */
export interface Sysctls {
    readonly initContainers: Container[];
    readonly podSecurityContext: KubernetesFields | undefined;
}

/**
 * Returns how a pod's kernel parameters are set. If the member's annotation requests it, a privileged init container sets
 * them, because the kubelet does not allow all of them in a security context. The init container has the member's
 * resources: this keeps the pod's QoS class and does not increase its requests.
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
    const words = ["sysctl", "-w", ...sysctls.map(({ name, value }) => shellWord(`${name}=${value}`))];
    return {
        initContainers: [
            {
                name: container,
                image: helperImage,
                command: ["sh", "-c", literalInPod(words.join(" "))],
                resources,
                securityContext: { privileged: true },
            },
        ],
        podSecurityContext: present({ ...context, sysctls: undefined }),
    };
}
