import type { MemberSpec } from "../kubernetes/memberDescription";
import type { Container, KubernetesFields } from "../kubernetes/pod";
import { membersOf } from "../members";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { RenderedCluster } from "../render";
import type { TidbServiceSpec } from "../tidb/spec";
import { isDnsLabel } from "./kubernetesNames";
import { shown } from "./path";

/** A list of a pod or a Service, what no two of its items may share, and where the user's items are. */
interface Unique {
    readonly items: readonly KubernetesFields[];
    /** @returns what an item is known by; undefined if it is not known by that. */
    readonly keyOf: (item: KubernetesFields) => unknown;
    /** The user's lists, by path. The last of their items with the key is reported. */
    readonly given: Readonly<Record<string, readonly KubernetesFields[] | undefined>>;
    /** The field of an item that is reported. */
    readonly field: string;
    /** Fields that are not in a list, by path, with their values. */
    readonly single?: Readonly<Record<string, unknown>>;
    readonly expected: string;
}

/**
 * Refuses names and ports that a pod or a Service has twice, and mounts of volumes that the pod does not have. The API server refuses
 * them too, in the middle of an update and without the field of the manifest. One of the two may be the member's own, so only
 * the rendered objects show both.
 *
 * @param cluster A cluster without other errors.
 */
export function usedTwiceProblems({ manifest, members }: RenderedCluster): SpecProblem[] {
    return membersOf(manifest.spec).flatMap((member) => {
        const rendered = members[member.component];
        const spec = member.specOf(manifest.spec);
        if (rendered === undefined || spec === undefined) {
            return [];
        }
        const at = member.pathIn(manifest.spec);
        const { template, volumeClaimTemplates = [] } = rendered.statefulSet.spec as {
            template: { spec: KubernetesFields };
            volumeClaimTemplates?: { metadata: KubernetesFields }[];
        };
        const claims = volumeClaimTemplates.map(({ metadata }) => ({ name: metadata.name as string }));
        return [
            ...podProblems(at, spec, template.spec, claims),
            ...namesThatAreNone([`${at}.service.additionalPorts`, additionalPorts(spec)]),
            ...rendered.services.flatMap(({ spec: { ports } }) =>
                servicePortProblems(`${at}.service`, spec, ports as KubernetesFields[]),
            ),
        ];
    });
}

function podProblems(
    at: string,
    spec: MemberSpec,
    pod: KubernetesFields,
    claims: readonly { name: string }[],
): SpecProblem[] {
    const { initContainers = [], additionalContainers = [], additionalVolumes } = spec;
    const volumes = [...claims, ...((pod.volumes ?? []) as { name: string }[])];
    const containers = [...((pod.initContainers ?? []) as Container[]), ...(pod.containers as Container[])];
    const given = { [`${at}.initContainers`]: initContainers, [`${at}.additionalContainers`]: additionalContainers };
    const all = Object.entries(given).flatMap(([path, list]) =>
        list.map((container, index): [string, KubernetesFields] => [`${path}[${index}]`, container]),
    );
    const byName = ({ name }: KubernetesFields): unknown => name;
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
        ...[[at, spec] as const, ...all].flatMap(([path, holder]) =>
            repeated({
                items: (holder.env ?? []) as KubernetesFields[],
                keyOf: byName,
                given: { [`${path}.env`]: holder.env as KubernetesFields[] | undefined },
                field: "name",
                expected: "a name that no other variable of the container has",
            }),
        ),
        ...all.flatMap(([path, { ports = [] }]) =>
            repeated({
                items: ports as KubernetesFields[],
                keyOf: ({ containerPort, protocol = "TCP" }) => `${String(containerPort)}/${String(protocol)}`,
                given: { [`${path}.ports`]: ports as KubernetesFields[] },
                field: "containerPort",
                expected: "a port that the container does not have yet",
            }),
        ),
        ...repeated({
            items: spec.imagePullSecrets ?? [],
            keyOf: byName,
            given: { [`${at}.imagePullSecrets`]: spec.imagePullSecrets },
            field: "name",
            expected: "a Secret that the list does not have yet",
        }),
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

/** Names of containers, volumes and ports are DNS labels. */
function namesThatAreNone([path, list]: [string, readonly KubernetesFields[]]): SpecProblem[] {
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

function additionalPorts(spec: MemberSpec): readonly KubernetesFields[] {
    return (spec as { service?: TidbServiceSpec }).service?.additionalPorts ?? [];
}

function servicePortProblems(at: string, spec: MemberSpec, ports: readonly KubernetesFields[]): SpecProblem[] {
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

function repeated({ items, keyOf, given, field, single = {}, expected }: Unique): SpecProblem[] {
    const keys = items.map(keyOf).filter((key) => key !== undefined);
    const twice = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
    return [...twice].flatMap((key) => {
        const inLists = Object.entries(given).flatMap(([path, list = []]) =>
            list.flatMap((item, index) => (keyOf(item) === key ? [`${path}[${index}].${field}`] : [])),
        );
        const inFields = Object.entries(single).flatMap(([path, value]) => (value === key ? [path] : []));
        const at = inLists.at(-1) ?? inFields.at(-1);
        return at === undefined ? [] : [specError(at, `a second ${shown(key)}`, expected)];
    });
}
