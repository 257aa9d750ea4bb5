import type { ClusterState } from "../model/cluster";
import { beginRecovery, shownRecovery } from "../model/unsafeRecovery";
import { json, type PdAnswer, type PdRequest, type PdRoute } from "./call";

const path = "/pd/api/v1/admin/unsafe/remove-failed-stores";
/** PD's own, in seconds. */
const defaultTimeout = 600;

/** Calls about unsafe recovery (tikv/pd server/api/unsafe_operation.go). Mode `auto-detect` is not played. */
export const recoveryRoutes: PdRoute[] = [
    { method: "POST", pattern: new RegExp(`^${path}$`), handle: removeFailedStores, needsStores: true },
    {
        method: "GET",
        pattern: new RegExp(`^${path}/show$`),
        handle: (state) => json(shownRecovery(state)),
        needsStores: true,
    },
];

function removeFailedStores(state: ClusterState, { body }: PdRequest): PdAnswer {
    const { stores, timeout } = (body ?? {}) as { stores?: unknown; timeout?: unknown };
    if (!Array.isArray(stores) || !stores.every((id) => Number.isSafeInteger(id) && Number(id) >= 0)) {
        return json("Store ids are invalid", 400);
    }
    const seconds = typeof timeout === "number" ? Math.floor(timeout) : defaultTimeout;
    const refused = beginRecovery(state, [...new Set(stores as number[])], seconds);
    return refused === undefined ? json("Request has been accepted.") : json(refused, 500);
}
