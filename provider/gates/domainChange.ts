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

/** @returns whether the domain is another one than that of the last update. @param olds the inputs of the last update. */
export function isDomainChanged(
    lease: LeaseView | undefined,
    { domain }: Asked,
    olds: Record<string, unknown>,
): boolean {
    const isFirst = Object.keys(olds).length === 0;
    const before = lease?.domain ?? (isFirst ? undefined : (olds.domain ?? ""));
    return before !== undefined && before !== (domain ?? "");
}

/** @returns why the preview refuses the new domain; undefined if it does not. @throws Unreadable if PD does not answer. */
export async function refusedDomain({ domain }: Asked, ports: PlanPorts): Promise<Refusal | undefined> {
    const found = refuseDomain(await ports.look(lookForDomain), domain);
    if (found && "lacks" in found) {
        throw new Unreadable(found.lacks, [{ is: "reading", words: "compare spec.clusterDomain with PD's list" }]);
    }
    return found?.refused;
}

/** @throws GateError if the update must not use the new domain. */
export async function assertDomain({ domain }: Asked, ports: GatePorts): Promise<void> {
    const found = refuseDomain(await ports.look(lookForDomain), domain);
    if (found === undefined) {
        return;
    }
    const isRefused = "refused" in found;
    throw new GateError({
        step: "cluster-domain",
        seen: isRefused ? found.refused.reason : `spec.clusterDomain changes, and ${found.lacks}`,
        next: isRefused ? "nothing was done" : "check the PD pods, or set spec.clusterDomain back",
    });
}
