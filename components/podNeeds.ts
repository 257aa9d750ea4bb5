import { secretsOf } from "../provider/lifecycle/jobs/jobSecrets";
import type { PodNeeds } from "../provider/lifecycle/prerequisites/podNeeds";
import { requiredCertificates } from "./certificates";
import type { Container, KubernetesFields } from "./kubernetes/pod";
import { membersOf } from "./members";
import type { RenderedCluster } from "./render";
import { isSuspended } from "./suspension";

/** @returns what the pods of the members that run need of the program: its Secrets and ConfigMaps, and room on a node. */
export function podNeeds({ manifest, members }: RenderedCluster): PodNeeds {
    const own = [
        ...requiredCertificates(manifest).map(({ secretName }) => secretName),
        ...Object.values(members).map(({ configMap }) => configMap?.metadata.name),
    ];
    const specs = membersOf(manifest.spec).flatMap((member) => {
        const { statefulSet } = members[member.component] ?? {};
        const { template } = (statefulSet?.spec ?? {}) as { template?: { spec: PodSpec } };
        return template === undefined || isSuspended(manifest.spec, member)
            ? []
            : [[member.component, template.spec] as const];
    });
    return {
        objects: specs.flatMap(([component, spec]) =>
            [...secretsOf(spec), ...secretsOf(spec, "configMap")]
                .filter(({ name }) => !own.includes(name))
                .map((one) => ({ ...one, component })),
        ),
        pods: Object.fromEntries(
            specs.map(([component, { initContainers, containers }]) => [
                component,
                { spec: { initContainers: initContainers?.map(sizeOf), containers: containers.map(sizeOf) } },
            ]),
        ),
    };
}

type PodSpec = Parameters<typeof secretsOf>[0] & {
    readonly initContainers?: readonly Container[];
    readonly containers: readonly Container[];
};

function sizeOf({ name, restartPolicy, resources }: Container) {
    const { requests } = (resources ?? {}) as KubernetesFields;
    return {
        name,
        ...(restartPolicy ? { restartPolicy: restartPolicy as string } : {}),
        resources: { requests: requests ?? {} },
    };
}
