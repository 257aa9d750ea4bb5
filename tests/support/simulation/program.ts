import type { ClusterProgramInputs, GateProgramInputs, ReadyProgramInputs } from "../../../provider/gates/inputs";
import type { FailoverPolicy } from "../../../provider/lifecycle/vocabulary/failoverPolicy";
import { memberLifecycles } from "../../../provider/lifecycle/members/memberLifecycles";
import { defaultPolicy, type GatePolicy } from "../../../provider/lifecycle/vocabulary/target";
import type { Component } from "../../../topology/members";
import { imageTagOf } from "./kubernetes";
import type { Kubernetes } from "./world";

/** What a program asks for. A member that is left out is not in the program. */
export interface Goal {
    pd?: number;
    tiflash?: number;
    tikv?: number;
    tidb?: number;
    revision: string;
    /** The revision of PD's template. Default: that of the others. */
    pdRevision?: string;
    /** The size of each pod's volume. Default: none is played. */
    size?: string;
    /** The other volumes of each pod of PD and TiKV. Default: none. */
    volumes?: readonly string[];
    policy?: Partial<GatePolicy>;
    /** How dead stores of TiKV are replaced. Default: they are not. */
    failover?: FailoverPolicy;
}

/** The members that the model has, in the order of a rollout. */
export type ModelledMember = Extract<Component, "pd" | "tiflash" | "tikv" | "tidb">;
export const modelledMembers: readonly ModelledMember[] = ["pd", "tiflash", "tikv", "tidb"];

export function revisionOf({ revision, pdRevision }: Goal, component: ModelledMember): string {
    return component === "pd" ? (pdRevision ?? revision) : revision;
}

/** @returns the names of the claim templates of the member's other volumes. */
export function volumesOf({ volumes = [] }: Goal, component: ModelledMember): string[] {
    return component === "pd" || component === "tikv" ? volumes.map((name) => `${component}-${name}`) : [];
}

export function membersOf(goal: Goal): ModelledMember[] {
    return modelledMembers.filter((one) => goal[one] !== undefined);
}

export function policyOf(goal: Goal): GatePolicy {
    return { ...defaultPolicy, ...goal.policy };
}

/** The inputs that all gates of the cluster have. PD is always that of our cluster, whatever the gate's cluster is. */
function commonInputs({ name, namespace, domain, key }: Kubernetes) {
    return {
        namespace,
        cluster: name,
        instance: name,
        access: {},
        leaseUid: `lease-${key}`,
        pd: { namespace: "tidb", cluster: "basic", instance: "basic", tls: false },
        domain,
        gate: "",
        statusUrn: "",
    };
}

/** Which members restart side by side, as `components/gatePolicy.ts` has it. */
function ofMember(component: Component, { parallelism, maxUnavailable, ...policy }: GatePolicy): GatePolicy {
    const hasOthers = component === "tidb";
    const isProven = component === "tikv" || component === "pd" || component === "tiflash";
    return {
        ...policy,
        ...(isProven && parallelism !== undefined ? { parallelism } : {}),
        ...(hasOthers && maxUnavailable !== undefined ? { maxUnavailable } : {}),
    };
}

export function memberInputs(
    cluster: Kubernetes,
    component: ModelledMember,
    goal: Goal,
    policy: GatePolicy,
): GateProgramInputs {
    const claims = [
        { name: component, storage: goal.size ?? "", storageClass: "" },
        ...volumesOf(goal, component).map((name) => ({ name, storage: "1Gi", storageClass: "" })),
    ];
    return {
        ...commonInputs(cluster),
        component,
        desiredReplicas: goal[component] ?? 0,
        templateRevision: revisionOf(goal, component),
        ...(component === "tidb" ? { tag: imageTagOf(component, revisionOf(goal, component)) } : {}),
        policy: ofMember(component, policy),
        ...(component === "tikv" && goal.failover ? { failover: goal.failover } : {}),
        ...(goal.pd !== undefined && memberLifecycles[component].looks.rollout.includes("leadership")
            ? { pdTemplateRevision: revisionOf(goal, "pd") }
            : {}),
        fixed: { podManagementPolicy: "Parallel", serviceName: `${cluster.name}-${component}-peer`, claims },
    };
}

function ownerOf({ name, namespace, key }: Kubernetes) {
    return { stack: `org/project/${key}`, urn: `urn:${key}`, name, namespace };
}

export function clusterInputs(cluster: Kubernetes, goal: Goal, policy: GatePolicy): ClusterProgramInputs {
    const members = membersOf(goal);
    return {
        ...commonInputs(cluster),
        policy,
        owner: ownerOf(cluster),
        deployed: { name: cluster.name, namespace: cluster.namespace },
        components: members,
        memberReplicas: Object.fromEntries(members.map((one) => [one, goal[one]])),
        unused: {},
        ...(goal.failover
            ? { unattended: { tikv: { failover: goal.failover, policy: ofMember("tikv", policy) } } }
            : {}),
    };
}

export function readyInputs(cluster: Kubernetes, goal: Goal, policy: GatePolicy): ReadyProgramInputs {
    const members = membersOf(goal).map((component) => ({
        component,
        replicas: goal[component] ?? 0,
        policy: ofMember(component, policy),
    }));
    const failovers = goal.failover ? { failovers: { tikv: goal.failover } } : {};
    return { ...commonInputs(cluster), members, owner: ownerOf(cluster), ...failovers };
}
