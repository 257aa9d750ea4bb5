import { secretsOf } from "../provider/lifecycle/jobs/jobSecrets";
import type { Pod } from "../provider/lifecycle/diagnosis/objects";
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
            specs.map(([component, { initContainers, containers, ...spec }]) => {
                const sizes = { initContainers: initContainers?.map(sizeOf), containers: containers.map(sizeOf) };
                return [component, { spec: { ...sizes, ...placeOf(spec) } }];
            }),
        ),
    };
}

type PodSpec = Parameters<typeof secretsOf>[0] & {
    readonly initContainers?: readonly Container[];
    readonly containers: readonly Container[];
} & Place;

type Place = Pick<NonNullable<Pod["spec"]>, "nodeSelector" | "tolerations" | "affinity">;

/** A part that a member does not set is no input of its gate. */
function placeOf({ nodeSelector, tolerations, affinity }: Place): Place {
    const { nodeAffinity } = affinity ?? {};
    return {
        ...(nodeSelector ? { nodeSelector } : {}),
        ...(tolerations ? { tolerations } : {}),
        ...(nodeAffinity ? { affinity: { nodeAffinity } } : {}),
    };
}

function sizeOf({ name, restartPolicy, resources }: Container) {
    const { requests } = (resources ?? {}) as KubernetesFields;
    return {
        name,
        ...(restartPolicy ? { restartPolicy: restartPolicy as string } : {}),
        resources: { requests: requests ?? {} },
    };
}
