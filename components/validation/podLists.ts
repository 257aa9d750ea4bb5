import type { ComponentSpec, StorageVolume } from "../componentSpec";
import type { KubernetesObject } from "../kubernetes/object";
import type { Container, EnvironmentVariable, KubernetesFields, LocalObjectReference } from "../kubernetes/pod";
import { specError, type SpecProblem, specWarning } from "../problem";
import { isDnsLabel } from "./kubernetesNames";
import { shown } from "./path";
import { repeated } from "./repeated";

/** A pod template, with what the user wrote for it. */
export interface RenderedPod {
    /** Path of the spec in the manifest: `spec.tikv`. */
    readonly at: string;
    /** Name of the main container. */
    readonly container: string;
    readonly spec: ComponentSpec & { readonly storageVolumes?: StorageVolume[] };
    readonly pod: KubernetesFields;
    /** The claims that each pod gets, which are volumes of the pod. */
    readonly claims: readonly { readonly name: string }[];
    readonly services: readonly KubernetesObject[];
}

type Lists = readonly (readonly [path: string, container: Container])[];

const byName = ({ name }: KubernetesFields): unknown => name;

/** Refuses what a rendered pod has twice, and mounts of volumes that it does not have. */
export function podListProblems({ at, spec, pod, claims }: RenderedPod): SpecProblem[] {
    const { initContainers = [], additionalContainers = [], additionalVolumes } = spec;
    const volumes = [...claims, ...((pod.volumes ?? []) as { name: string }[])];
    const main = pod.containers as Container[];
    const containers = [...((pod.initContainers ?? []) as Container[]), ...main];
    const given = { [`${at}.initContainers`]: initContainers, [`${at}.additionalContainers`]: additionalContainers };
    const all: Lists = Object.entries(given).flatMap(([path, list]) =>
        list.map((one, index) => [`${path}[${index}]`, one] as const),
    );
    return [
        ...repeated({
            items: volumes,
            keyOf: byName,
            given: { [`${at}.additionalVolumes`]: additionalVolumes },
            field: "name",
            expected: "a name that no other volume of the pod has",
        }),
        ...repeated({
            items: containers,
            keyOf: byName,
            given,
            field: "name",
            expected: "a name that no other container of the pod has",
        }),
        ...repeatedContainers(`${at}.additionalContainers`, additionalContainers),
        ...variableProblems(at, spec),
        ...all.flatMap(([path, one]) => variableProblems(path, one)),
        ...all.flatMap(([path, one]) => portProblems(path, one)),
        ...containers.flatMap((one) => portNameProblems(one, all)),
        ...hostPortProblems(main, pod.hostNetwork === true, all),
        ...pullSecretProblems(at, spec),
        ...Object.entries({ ...given, [`${at}.additionalVolumes`]: additionalVolumes ?? [] }).flatMap(namesThatAreNone),
        ...mountsWithoutVolume(
            [
                [`${at}.additionalVolumeMounts`, spec.additionalVolumeMounts ?? []],
                ...all.map(([path, { volumeMounts = [] }]): [string, KubernetesFields[]] => [
                    `${path}.volumeMounts`,
                    volumeMounts as KubernetesFields[],
                ]),
            ],
            containers.flatMap(({ volumeMounts = [] }) => volumeMounts as KubernetesFields[]),
            volumes.map(({ name }) => name),
        ),
    ];
}

/** Refuses a variable that a container's list has twice: of a member, a container or the pod of a Job. */
export function variableProblems(at: string, { env = [] }: { env?: EnvironmentVariable[] } | Container): SpecProblem[] {
    const items = env as KubernetesFields[];
    return repeated({
        items,
        keyOf: byName,
        given: { [`${at}.env`]: items },
        field: "name",
        expected: "a name that no other variable of the container has",
    });
}

/** Refuses a Secret that a list of Secrets for images has twice. */
export function pullSecretProblems(
    at: string,
    { imagePullSecrets = [] }: { imagePullSecrets?: LocalObjectReference[] },
): SpecProblem[] {
    return repeated({
        items: imagePullSecrets,
        keyOf: byName,
        given: { [`${at}.imagePullSecrets`]: imagePullSecrets },
        field: "name",
        expected: "a Secret that the list does not have yet",
    });
}

function portProblems(path: string, container: Container): SpecProblem[] {
    return repeated({
        items: portsOf(container),
        keyOf: ({ containerPort, protocol = "TCP" }) => `${String(containerPort)}/${String(protocol)}`,
        given: { [`${path}.ports`]: portsOf(container) },
        field: "containerPort",
        expected: "a port that the container does not have yet",
    });
}

/** The user's ports may have been merged into a rendered container, which has ports already. */
function portNameProblems(container: Container, all: Lists): SpecProblem[] {
    const own = all.filter(([, { name }]) => name === container.name);
    return repeated({
        items: portsOf(container),
        keyOf: ({ name }) => (name as unknown) || undefined,
        given: portLists(own),
        field: "name",
        expected: "a name that no other port of the container has",
    });
}

/** On the node's network each port of a container is one of the node. */
function hostPortProblems(containers: readonly Container[], hostNetwork: boolean, all: Lists): SpecProblem[] {
    const hostPort = (port: KubernetesFields): unknown =>
        port.hostPort || (hostNetwork ? port.containerPort : undefined);
    return repeated({
        items: containers.flatMap(portsOf),
        keyOf: (port) => {
            const { hostIP = "", protocol = "TCP" } = port as { hostIP?: string; protocol?: string };
            const number = hostPort(port);
            return number === undefined ? undefined : `${String(number)}/${protocol}${hostIP && ` of ${hostIP}`}`;
        },
        given: portLists(all.filter(([, { name }]) => containers.some((one) => one.name === name))),
        field: hostNetwork ? "containerPort" : "hostPort",
        expected: "a port of the node that no other container of the pod has",
    });
}

function portsOf({ ports = [] }: Container): KubernetesFields[] {
    return ports as KubernetesFields[];
}

function portLists(all: Lists): Record<string, KubernetesFields[]> {
    return Object.fromEntries(all.map(([path, one]) => [`${path}.ports`, portsOf(one)]));
}

/** Names of containers, volumes and ports are DNS labels. */
export function namesThatAreNone([path, list]: [string, readonly KubernetesFields[]]): SpecProblem[] {
    return list.flatMap(({ name }, index) =>
        typeof name === "string" && isDnsLabel(name)
            ? []
            : [specError(`${path}[${index}].name`, shown(name), "a DNS label: lower-case letters, digits and dashes")],
    );
}

/** Of two additional containers with one name the operator uses the later one. */
function repeatedContainers(path: string, containers: readonly Container[]): SpecProblem[] {
    return containers.flatMap(({ name }, index) =>
        containers.slice(index + 1).some((later) => later.name === name)
            ? [
                  specWarning(
                      `${path}[${index}].name`,
                      shown(name),
                      "a name that no other container has",
                      "a later container with this name replaces it, as in tidb-operator",
                  ),
              ]
            : [],
    );
}

function mountsWithoutVolume(
    lists: readonly (readonly [path: string, mounts: readonly KubernetesFields[]])[],
    rendered: readonly KubernetesFields[],
    volumes: readonly string[],
): SpecProblem[] {
    // Pump's pods get none of the user's mounts.
    const isRendered = ({ name, mountPath }: KubernetesFields): boolean =>
        rendered.some((mount) => mount.name === name && mount.mountPath === mountPath);
    return lists.flatMap(([path, mounts]) =>
        mounts.flatMap(({ name, mountPath }, index) =>
            volumes.includes(name as string) || !isRendered({ name, mountPath })
                ? []
                : [
                      specError(
                          `${path}[${index}].name`,
                          shown(name),
                          `the name of a volume of the pod: ${volumes.join(", ")}`,
                      ),
                  ],
        ),
    );
}
