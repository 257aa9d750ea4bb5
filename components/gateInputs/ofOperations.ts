import type { GateProgramInputs, ReadyProgramInputs } from "../../provider/gates/inputs";
import type { FailoverPolicy } from "../../provider/lifecycle/vocabulary/memberFailover";
import type { GrowthPolicy } from "../../provider/lifecycle/vocabulary/volumeGrowth";
import { type Component, topology } from "../../topology/members";
import { onDestroyInputs } from "../backup/onDestroy";
import { failoverPolicy } from "../failoverPolicy";
import { membersOf } from "../members";
import type { OperationsArgs } from "../operations";
import type { RenderedCluster } from "../render";
import type { TidbClusterManifest } from "../spec";
import { isSuspended } from "../suspension";

/** What several kinds of gates get of `operations`. Without the option that an input is for, a gate's inputs are those of earlier versions. */

export function approvalOf({ approval }: OperationsArgs = {}): Pick<GateProgramInputs, "approval"> {
    return approval === undefined ? {} : { approval };
}

export function lostOf({ lostNodes = [] }: OperationsArgs = {}): { lostNodes?: readonly string[] } {
    return lostNodes.length === 0 ? {} : { lostNodes };
}

export function drainOf({ drain }: OperationsArgs = {}): { drain?: "off" } {
    return drain === "off" ? { drain } : {};
}

/** How the volumes of a member grow: only of stores is it known how full they are. */
export function growthOf(component: Component, { volumes }: OperationsArgs = {}): { growth?: GrowthPolicy } {
    if (volumes === undefined || topology[component].engine === undefined) {
        return {};
    }
    const { growAt = "80%", by = "20%", max } = volumes;
    return { growth: { growAt: Number.parseInt(growAt), by: Number.parseInt(by), max } };
}

/** The backup before the cluster is destroyed. */
export function lastBackupOf(
    { manifest }: RenderedCluster,
    operations: OperationsArgs | undefined,
): Pick<ReadyProgramInputs, "onDestroy"> {
    const { onDestroy } = operations?.backup ?? {};
    return onDestroy ? { onDestroy: onDestroyInputs(manifest, onDestroy) } : {};
}

/** Each member whose dead pods are replaced, and how. */
export function failoversOf(
    manifest: TidbClusterManifest,
    operations: OperationsArgs | undefined,
): (readonly [Component, FailoverPolicy])[] {
    return membersOf(manifest.spec).flatMap(({ component }) => {
        const policy = failoverPolicy(manifest, component, operations);
        return policy ? [[component, policy] as const] : [];
    });
}

/** Whether the program has the member, and has not suspended it. */
export function runs(spec: TidbClusterManifest["spec"], component: Component): boolean {
    return membersOf(spec).some((member) => member.component === component && !isSuspended(spec, member));
}
