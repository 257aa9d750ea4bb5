import type { Look } from "../vocabulary/look";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { restartsIn } from "./plan";
import { planBatches } from "./planBatches";

/** @returns what a plan of batches must read first, and a remark if a batch is asked for and none is proven. */
export function batchesNeed(observation: Observation, target: MemberTarget): { look?: Look; remark?: string } {
    const { look, why } = planBatches(observation, target, restartsIn(observation, target));
    const remark = `operations.rollout.parallelism is ${JSON.stringify(target.policy.parallelism)}; stores restart one by one where it is not proven that no region loses its majority: ${why}`;
    return { ...(look ? { look } : {}), ...(why === undefined ? {} : { remark }) };
}
