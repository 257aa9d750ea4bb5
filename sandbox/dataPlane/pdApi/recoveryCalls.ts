import type { ClusterState } from "../model/cluster";
import { beginRecovery, shownRecovery } from "../model/unsafeRecovery";
import { json, type PdAnswer, type PdRequest, type PdRoute, text } from "./call";

const marker = /^\/pd\/api\/v1\/admin\/cluster\/markers\/snapshot-recovering$/;
const path = "/pd/api/v1/admin/unsafe/remove-failed-stores";
/** PD's own, in seconds. */
const defaultTimeout = 600;

/** Calls about unsafe recovery (tikv/pd server/api/unsafe_operation.go), without its mode `auto-detect`, and about the mark of BR's recovery from snapshots. */
export const recoveryRoutes: PdRoute[] = [
    { method: "POST", pattern: new RegExp(`^${path}$`), handle: removeFailedStores, needsStores: true },
    {
        method: "GET",
        pattern: new RegExp(`^${path}/show$`),
        handle: (state) => json(shownRecovery(state)),
        needsStores: true,
    },
    { method: "GET", pattern: marker, handle: (state) => json({ marked: state.snapshotRecovering }) },
    { method: "POST", pattern: marker, handle: mark(true) },
    { method: "DELETE", pattern: marker, handle: mark(false) },
];

/** PD acknowledges both without a body, however it was marked before (tikv/pd server/api/admin.go). */
function mark(marked: boolean): PdRoute["handle"] {
    return (state) => {
        state.snapshotRecovering = marked;
        return text("", 200, "text/plain; charset=UTF-8");
    };
}

function removeFailedStores(state: ClusterState, { body }: PdRequest): PdAnswer {
    const { stores, timeout } = (body ?? {}) as { stores?: unknown; timeout?: unknown };
    if (!Array.isArray(stores) || !stores.every((id) => Number.isSafeInteger(id) && Number(id) >= 0)) {
        return json("Store ids are invalid", 400);
    }
    const seconds = typeof timeout === "number" ? Math.floor(timeout) : defaultTimeout;
    const refused = beginRecovery(state, [...new Set(stores as number[])], seconds);
    return refused === undefined ? json("Request has been accepted.") : json(refused, 500);
}
