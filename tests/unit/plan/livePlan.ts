import { checkManifest } from "../../../components/checkManifest";
import type { RenderedMember } from "../../../components/kubernetes/member";
import type { OperationsArgs } from "../../../components/operations";
import type { TidbClusterManifest } from "../../../components/spec";
import { plan } from "../../../bin/planCommand";
import type { CommandResult } from "../../../bin/manifestFile";
import type { LiveMember } from "../../../provider/cluster/liveMember";
import type { ClusterPlan, PlanDocument } from "../../../plan/clusterPlan";
import type { PlanSources } from "../../../plan/planSources";
import type { ObservedMember } from "../../../provider/lifecycle/vocabulary/observation";
import { type Component, components } from "../../../topology/members";
import { changePorts, type ClusterWorld, clusterWorld, scaledByHand } from "../gates/clusterWorld";

type Spec = Record<string, Record<string, unknown> | string | boolean | undefined>;

/** A manifest of the cluster that `clusterWorld` has. */
export function basic(spec: Spec = {}): TidbClusterManifest {
    const members = {
        pd: { replicas: 3, requests: { storage: "10Gi" } },
        tikv: { replicas: 4, requests: { storage: "100Gi" } },
        tidb: { replicas: 2 },
    };
    const merged = Object.entries(spec).map(([field, value]) => [
        field,
        typeof value === "object" ? { ...members[field as keyof typeof members], ...value } : value,
    ]);
    return {
        apiVersion: "pingcap.com/v1alpha1",
        kind: "TidbCluster",
        metadata: { name: "basic", namespace: "tidb" },
        spec: { version: "v8.5.3", ...members, ...(Object.fromEntries(merged) as object) },
    } as unknown as TidbClusterManifest;
}

/** Options of `plan`, and how the live cluster deviates. */
export interface PlanCase {
    readonly options?: Partial<Parameters<typeof plan>[1]>;
    readonly world?: Partial<ClusterWorld>;
    /** What was deployed last. */
    readonly deployed?: TidbClusterManifest;
    /** The operations of that program. Default: none. */
    readonly deployedWith?: OperationsArgs;
    /** A member whose number of replicas `kubectl scale` has set. Default: none. */
    readonly scaledByHand?: Component;
    /** Other files, by name. */
    readonly files?: Readonly<Record<string, string>>;
}

/** What a command printed, and the world that it read. */
export interface PlanRun extends CommandResult {
    readonly world: ClusterWorld;
    /** What was read of StatefulSets and ConfigMaps. */
    readonly read: string[];
}

/** PD's own limits of moving leaders. */
const defaultLimits = { "leader-schedule-limit": 4 };

/** Runs `plan` with a live cluster that a manifest was deployed to. */
export async function planOfFile(text: string, given: PlanCase = {}): Promise<PlanRun> {
    const world = clusterWorld(given.world);
    const rows = Object.entries(world.live).map(([component, row]) => [component, { limits: defaultLimits, ...row }]);
    world.live = Object.fromEntries(rows) as ClusterWorld["live"];
    if (given.scaledByHand) {
        scaledByHand(world, given.scaledByHand);
    }
    const { members } = checkManifest(given.deployed ?? basic(), [], given.deployedWith);
    changePorts(world, ({ look }) => ({
        look: async (options) => {
            const observation = await look(options);
            const found = Object.entries(observation.members).map(([component, member]) => [
                component,
                asDeployed(member, members[component as Component]),
            ]);
            return { ...observation, members: Object.fromEntries(found) as typeof observation.members };
        },
    }));
    const read: string[] = [];
    const sources: PlanSources = {
        world,
        kubernetes: { context: given.options?.context ?? "current", server: "https://k8s.example:6443" },
        liveMember: (namespace, name) => {
            read.push(`${namespace}/${name}`);
            return Promise.resolve(liveMemberOf(name, members));
        },
    };
    const files: Record<string, string> = { "cluster.yaml": text, ...given.files };
    const open = (file: string): string => {
        if (files[file] === undefined) {
            throw new Error(`ENOENT: no such file '${file}'`);
        }
        return files[file];
    };
    const result = await plan("cluster.yaml", { output: "json", ...given.options }, open, sources);
    return { ...result, world, read };
}

/** The plan of one cluster, from the command's JSON. */
export async function planOf(manifest: object, given: PlanCase = {}): Promise<ClusterPlan> {
    const { output, errors } = await planOfFile(JSON.stringify(manifest), given);
    if (output === "") {
        throw new Error(errors);
    }
    return (JSON.parse(output) as PlanDocument).clusters[0];
}

function asDeployed(member: ObservedMember, rendered: RenderedMember | undefined): ObservedMember {
    const { component, statefulSet } = member;
    return statefulSet && rendered
        ? {
              ...member,
              pods: member.pods.map((pod) => ({ ...pod, image: `pingcap/${component}:${rendered.facts.version}` })),
              statefulSet: {
                  ...statefulSet,
                  templateRevision: rendered.facts.templateRevision,
                  fixed: rendered.facts.fixed,
              },
          }
        : member;
}

function liveMemberOf(
    statefulSet: string,
    members: Partial<Record<Component, RenderedMember>>,
): LiveMember | undefined {
    const component = components.find((one) => statefulSet === `basic-${one}`);
    const rendered = component && members[component];
    return (
        rendered && {
            templateRevision: rendered.facts.templateRevision,
            config: rendered.configMap?.data as Record<string, string> | undefined,
            configMap: rendered.configMap?.metadata.name,
        }
    );
}
