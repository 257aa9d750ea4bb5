import type { ComponentSpec } from "../componentSpec";
import type { KubernetesFields } from "../kubernetes/pod";
import type { SpecProblem } from "../problem";
import type { RenderedCluster } from "../render";
import type { TidbServiceSpec } from "../tidb/spec";
import { namesThatAreNone, podListProblems, pullSecretProblems } from "./podLists";
import { renderedPods } from "./renderedPods";
import { repeated } from "./repeated";

/**
 * Refuses names and ports that a pod or a Service has twice, and mounts of volumes that the pod does not have. The API server refuses
 * them too, in the middle of an update and without the field of the manifest. One of the two may be the member's own, so only
 * the rendered objects show both.
 *
 * @param cluster A cluster without other errors.
 */
export function usedTwiceProblems(cluster: RenderedCluster): SpecProblem[] {
    return [
        ...pullSecretProblems("spec", cluster.manifest.spec),
        ...renderedPods(cluster).flatMap((rendered) => [
            ...podListProblems(rendered),
            ...namesThatAreNone([`${rendered.at}.service.additionalPorts`, additionalPorts(rendered.spec)]),
            ...rendered.services.flatMap(({ spec: { ports } }) =>
                servicePortProblems(`${rendered.at}.service`, rendered.spec, ports as KubernetesFields[]),
            ),
        ]),
    ];
}

function additionalPorts(spec: ComponentSpec): readonly KubernetesFields[] {
    return (spec as { service?: TidbServiceSpec }).service?.additionalPorts ?? [];
}

function servicePortProblems(at: string, spec: ComponentSpec, ports: readonly KubernetesFields[]): SpecProblem[] {
    const { service = {} } = spec as { service?: KubernetesFields };
    const given = { [`${at}.additionalPorts`]: additionalPorts(spec) };
    const ofProtocol = (port: unknown, protocol: unknown): string => `${String(port)}/${String(protocol)}`;
    return [
        ...repeated({
            items: ports,
            keyOf: ({ name }) => name,
            given,
            field: "name",
            single: { [`${at}.portName`]: service.portName },
            expected: "a name that no other port of the Service has",
        }),
        ...repeated({
            items: ports,
            keyOf: ({ port, protocol = "TCP" }) => ofProtocol(port, protocol),
            given,
            field: "port",
            single: { [`${at}.port`]: ofProtocol(service.port, "TCP") },
            expected: "a number that no other port of the Service has",
        }),
        ...repeated({
            items: ports,
            keyOf: ({ nodePort, protocol = "TCP" }) => (nodePort ? ofProtocol(nodePort, protocol) : undefined),
            given,
            field: "nodePort",
            single: {
                [`${at}.mysqlNodePort`]: ofProtocol(service.mysqlNodePort, "TCP"),
                [`${at}.statusNodePort`]: ofProtocol(service.statusNodePort, "TCP"),
            },
            expected: "a number that no other port of the Service has",
        }),
    ];
}
