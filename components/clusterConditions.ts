import { topology } from "../topology/members";
import {
    type Condition,
    readyAsWanted,
    type ReadyReason,
    readyReasons,
    suspendedFinding,
} from "../topology/readyCondition";
import { membersOf } from "./members";
import type { TidbClusterSpec } from "./spec";
import { isSuspended } from "./suspension";

/**
 * @returns the conditions of a cluster whose update has ended: everything is as the program asks then, so it is Ready unless a
 * member is suspended that TiDB Operator's conditions count. `pulumi-tidb status` shows the same.
 */
export function conditionsOf(spec: TidbClusterSpec): Condition[] {
    const members = membersOf(spec);
    const suspended = members.filter((member) => isSuspended(spec, member)).map(({ component }) => component);
    const isWhole = suspended.length === members.length;
    for (const [reason, of] of Object.entries(readyReasons) as [ReadyReason, readonly string[]][]) {
        // A suspended member has no StatefulSet that could be out of date.
        const [found] = reason === "StatefulSetNotUpToDate" ? [] : suspended.filter((one) => of.includes(one));
        if (found !== undefined) {
            const message = suspendedFinding(topology[found].title, isWhole);
            return [{ type: "Ready", status: "False", reason, message }];
        }
    }
    return [readyAsWanted];
}
