import type { Event, Node, Volume, Claim, Pod, StorageClass } from "./objects";
import { type Component, topology } from "../../../topology/members";
import type { Fact } from "../vocabulary/evidence";

/** A node, and the sum of what the pods on it request, by resource and in billionths. */
export interface NodeFacts {
    readonly node: Node;
    readonly requested: Fact<Readonly<Record<string, bigint>>>;
}

/** A claim that a pod mounts. */
export interface ClaimFacts {
    readonly name: string;
    /** The value is undefined if there is no such claim. */
    readonly claim: Fact<Claim | undefined>;
    readonly events: Fact<readonly Event[]>;
}

/** A Secret with a certificate that pods of the cluster mount. Times are milliseconds since 1970. */
export interface CertificateFacts {
    readonly secret: string;
    /** The pods that mount it. */
    readonly pods: readonly string[];
    /** `absent`: there is no such Secret. */
    readonly certificate: Fact<{ readonly subject: string; readonly from: number; readonly to: number } | "absent">;
}

/**
 * What the diagnosis of a pod reads: objects as the API server writes them. What the state of the pod gave no reason to ask
 * for is not known.
 */
export interface PodFacts {
    readonly name: string;
    /** The member that it is of; undefined for the pod of a Job. */
    readonly component: Component | undefined;
    /** The Job that it is of, by name. Default: it is a member's. */
    readonly job?: string;
    /** Undefined: the pod does not exist. */
    readonly pod: Pod | undefined;
    /** Events of this very pod; while it does not exist, of its StatefulSet or Job. */
    readonly events: Fact<readonly Event[]>;
    readonly claims: readonly ClaimFacts[];
    /** The node that it is bound to; the value is undefined if there is no such node. Default: it is bound to none, or is Ready. */
    readonly ownNode?: Fact<Node | undefined>;
    /** Whether it is stopping, and its time for that is not over: nothing is wrong, so its node need not be known. Default: false. */
    readonly stopsInTime?: boolean;
    /** The node that a volume of the pod is tied to, if the scheduler finds no node that reaches it. Default: no volume is, or that was not asked. */
    readonly volumeNode?: { readonly name: string; readonly node: Fact<Node | undefined> };
    readonly nodes: Fact<readonly NodeFacts[]>;
    readonly classes: Fact<readonly StorageClass[]>;
    readonly volumes: Fact<readonly Volume[]>;
    /** By container that has ended: the last lines that it wrote before. */
    readonly logs: Readonly<Record<string, Fact<readonly string[]>>>;
}

/** @returns what a person changes to change the pod: `TiKV`, or `Job backup-monday`. */
export function titleOf({ component, job }: Pick<PodFacts, "component" | "job">): string {
    return component === undefined ? `Job ${job}` : topology[component].title;
}

/** Everything that one reading found. */
export interface DiagnosisFacts {
    readonly pods: readonly PodFacts[];
    readonly certificates: readonly CertificateFacts[];
    /** Pods that could not be read, or Jobs, and why, one line each. */
    readonly unread: readonly string[];
    /** The claims that were asked for. Default: none was. */
    readonly claims?: readonly ClaimFacts[];
}

/** Which pods to read, by name, and whether to read the Secrets with certificates that they mount. */
export interface DiagnosisRequest {
    readonly pods: readonly AskedPod[];
    readonly certificates: boolean;
    /** Names of claims whose volumes grow, to read with their events. Default: none. */
    readonly growing?: readonly string[];
}

/** A pod of a member, or of a Job. */
export interface AskedPod {
    readonly component?: Component;
    readonly job?: string;
    readonly name: string;
    /** Whether it is known not to exist: of a Job nobody knows the names that its pods would have. Default: it is looked for. */
    readonly isMissing?: boolean;
}
