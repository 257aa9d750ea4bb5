import type { GatePorts, PlanPorts } from "../cluster/gatePorts";
import type { LeaseView } from "../cluster/leaseNotes";
import { listedByPd, refuseDomain } from "../lifecycle/prerequisites/clusterDomain";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import { noLook } from "../lifecycle/vocabulary/look";
import type { Refusal } from "../lifecycle/vocabulary/ownership";
import { Unreadable } from "./gateDefinition";
import { GateError } from "./gateError";
import type { ClusterProgramInputs } from "./inputs";
import { withId } from "./looks";

/** A change of `spec.clusterDomain`: the identity of the cluster's members and stores in PD depends on it. */

const lookForDomain: LookOptions = { ...noLook, components: [...listedByPd], pd: withId(["health", "stores"]) };

type Asked = Pick<ClusterProgramInputs, "domain">;

/** A change from the domain of the last update; empty for none. */
export interface DomainChange {
    readonly before: string;
    /** Whether PD was never seen to be the cluster's: then it may be the wrong domain that keeps it from forming. */
    readonly isFirstDeployment: boolean;
}

/** @returns the change of the domain; undefined if it is the same. @param olds the inputs of the last update. */
export function domainChange(
    lease: LeaseView | undefined,
    { domain }: Asked,
    olds: Record<string, unknown>,
): DomainChange | undefined {
    const last = Object.keys(olds).length === 0 ? undefined : String(olds.domain ?? "");
    const before = lease?.domain ?? last;
    return before === undefined || before === (domain ?? "")
        ? undefined
        : { before, isFirstDeployment: lease !== undefined && lease.pdClusterId === undefined };
}

/** @returns why the preview refuses the new domain; undefined if it does not. @throws Unreadable if PD does not answer. */
export async function refusedDomain(
    change: DomainChange,
    asked: Asked,
    ports: PlanPorts,
): Promise<Refusal | undefined> {
    const found = await judge(change, asked, ports);
    if (found && "lacks" in found) {
        throw new Unreadable("cluster-domain-unknown", found.lacks, [
            { is: "reading", words: "compare spec.clusterDomain with PD's list" },
        ]);
    }
    return found?.refused;
}

/** @throws GateError if the update must not use the new domain. */
export async function assertDomain(change: DomainChange, asked: Asked, ports: GatePorts): Promise<void> {
    const found = await judge(change, asked, ports);
    if (found === undefined) {
        return;
    }
    const isRefused = "refused" in found;
    throw new GateError({
        code: isRefused ? "cluster-domain-refused" : "cluster-domain-unknown",
        step: "cluster-domain",
        seen: isRefused ? found.refused.reason : `spec.clusterDomain changes, and ${found.lacks}`,
        next: isRefused ? "nothing was done" : "check the PD pods, or set spec.clusterDomain back",
    });
}

async function judge({ before, isFirstDeployment }: DomainChange, { domain }: Asked, ports: PlanPorts) {
    const found = refuseDomain(await ports.look(lookForDomain), before, domain);
    return found && "lacks" in found && isFirstDeployment ? undefined : found;
}
