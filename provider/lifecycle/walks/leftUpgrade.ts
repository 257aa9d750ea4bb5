import { finishByHand, finishUpgrade, podBeforeUpgrade } from "../stages/smoothUpgrade";
import type { Leftover } from "../vocabulary/leftover";
import type { Observation } from "../vocabulary/observation";

/** @returns TiDB's smooth upgrade that a run has begun, and that is still on record. */
export function leftUpgrade(observation: Observation): Leftover[] {
    const { smoothUpgrade } = observation.records;
    if (smoothUpgrade === undefined) {
        return [];
    }
    const { from, to, begunAt } = smoothUpgrade;
    const found = {
        kind: "upgrade",
        target: "TiDB's smooth upgrade",
        seen: `from ${from} to ${to}: the DDL statements of users are paused`,
        by: `a run of pulumi-tidb, which began it at ${new Date(begunAt).toISOString()}`,
        isOurs: true,
    } as const;
    if (observation.members.tidb?.statefulSet === undefined) {
        const why = `this cluster has no TiDB that could be told. Once all TiDB servers on this PD have one version, ${finishByHand}`;
        return [{ ...found, verdict: "keep", why }];
    }
    const before = podBeforeUpgrade(observation);
    if (before !== undefined) {
        return [
            {
                ...found,
                verdict: "keep",
                why: `${before} may still run the earlier version: run \`pulumi up\`, which goes on with the upgrade and finishes it`,
            },
        ];
    }
    const end = finishUpgrade(observation);
    if (end && "stays" in end) {
        return [{ ...found, verdict: "keep", why: end.stays }];
    }
    if (end === undefined || !("action" in end)) {
        return [{ ...found, verdict: "not known", why: end && "lacks" in end ? end.lacks : "TiDB was not asked" }];
    }
    const why =
        end.action.do === "forget-upgrade"
            ? "TiDB says that it is not being upgraded: the record is deleted"
            : "every TiDB pod runs the newest template: the upgrade is finished, and the DDL statements of users go on";
    return [{ ...found, verdict: "remove", why, action: end.action }];
}
