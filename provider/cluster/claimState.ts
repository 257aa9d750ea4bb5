import type { ClaimState, VolumeResize } from "../lifecycle/vocabulary/claimState";
import type { ListedClaim } from "./listCalls";

/** The conditions of a claim whose messages are a driver's words. */
const errorConditions = ["ControllerResizeError", "NodeResizeError"];

/** @returns what a claim's spec and status say of its volume. */
export function claimState({ spec, status }: ListedClaim): ClaimState {
    const resize = resizeOf(status);
    const { storageClassName, volumeAttributesClassName } = spec ?? {};
    return {
        phase: status?.phase ?? "unknown",
        hasSource: (spec?.dataSource ?? spec?.dataSourceRef) !== undefined,
        requested: spec?.resources?.requests?.storage,
        capacity: status?.capacity?.storage,
        storageClass: storageClassName ?? "",
        ...(volumeAttributesClassName ? { attributesClass: volumeAttributesClassName } : {}),
        ...(resize ? { resize } : {}),
    };
}

/** Conditions that are False, and statuses of other resources, say nothing. */
function resizeOf(status: ListedClaim["status"]): VolumeResize | undefined {
    const conditions = (status?.conditions ?? []).filter((one) => one.status === "True");
    const of = (type: string) => conditions.find((one) => one.type === type);
    const stage = status?.allocatedResourceStatuses?.storage ?? "";
    const waits = of("FileSystemResizePending");
    const trouble = conditions.find(({ type, message }) => errorConditions.includes(type) && message)?.message;
    const isFileSystems = waits !== undefined || stage.startsWith("Node");
    if (!isFileSystems && of("Resizing") === undefined && stage === "" && trouble === undefined) {
        return undefined;
    }
    const since = waits?.lastTransitionTime;
    return {
        of: isFileSystems ? "file-system" : "volume",
        ...(since === undefined ? {} : { since: new Date(since).getTime() }),
        ...(trouble === undefined ? {} : { trouble }),
        ...(stage.endsWith("Infeasible") ? { isInfeasible: true } : {}),
    };
}
