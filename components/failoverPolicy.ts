import type { FailoverPolicy } from "../provider/lifecycle/vocabulary/memberFailover";
import { memberLifecycles } from "../provider/lifecycle/members/memberLifecycles";
import type { Component } from "../topology/members";
import { members } from "./members";
import type { OperationsArgs } from "./operations";
import type { TidbClusterManifest } from "./spec";

/** tidb-operator's defaults (`defaulting/tidbcluster.go`, and the flags of its controller manager). */
const defaultBudget = 3;
const defaultPeriodSeconds = 300;

/**
 * @returns how the gates replace the dead of a member, from `operations.failover` and the member's `maxFailoverCount`,
 * `recoverFailover` and `failover.recoverByUID`; undefined for a member without failover.
 */
export function failoverPolicy(
    { spec }: TidbClusterManifest,
    component: Component,
    { failover: { enabled = true, periodSeconds = defaultPeriodSeconds } = {} }: OperationsArgs = {},
): FailoverPolicy | undefined {
    const own = members[component].specOf(spec);
    if (memberLifecycles[component].failover === undefined || own === undefined) {
        return undefined;
    }
    const uid = own.failover?.recoverByUID;
    return {
        periodSeconds,
        // A replacement starts empty.
        budget: enabled && !spec.recoveryMode ? (own.maxFailoverCount ?? defaultBudget) : 0,
        ...(own.recoverFailover === true ? { recovers: true } : {}),
        ...(uid === undefined || uid === "" ? {} : { recoverByUid: uid }),
    };
}
