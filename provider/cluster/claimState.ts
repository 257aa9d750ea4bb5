import type { ClaimState, VolumeAttributes, VolumeResize } from "../lifecycle/vocabulary/claimState";
import type { ListedClaim } from "./listCalls";

/** The conditions of a claim whose messages are a driver's words. */
const errorConditions = ["ControllerResizeError", "NodeResizeError"];

/**
 * @param at when the claim was read, by the run's own clock.
 * @returns what its spec and status say of its volume.
 */
export function claimState({ spec, status }: ListedClaim, at: number): ClaimState {
    const resize = resizeOf(status, at);
    const attributes = attributesOf(status);
    const { storageClassName, volumeAttributesClassName } = spec ?? {};
    return {
        phase: status?.phase ?? "unknown",
        hasSource: (spec?.dataSource ?? spec?.dataSourceRef) !== undefined,
        requested: spec?.resources?.requests?.storage,
        capacity: status?.capacity?.storage,
        storageClass: storageClassName ?? "",
        ...(volumeAttributesClassName ? { attributesClass: volumeAttributesClassName } : {}),
        ...(attributes ? { attributes } : {}),
        ...(resize ? { resize } : {}),
    };
}

/** Conditions that are False, and statuses of other resources, say nothing. */
function resizeOf(status: ListedClaim["status"], at: number): VolumeResize | undefined {
    const conditions = (status?.conditions ?? []).filter((one) => one.status === "True");
    const of = (type: string) => conditions.find((one) => one.type === type);
    const stage = status?.allocatedResourceStatuses?.storage ?? "";
    const waits = of("FileSystemResizePending");
    const trouble = conditions.find(({ type, message }) => errorConditions.includes(type) && message)?.message;
    const isFileSystems = waits !== undefined || stage.startsWith("Node");
    if (!isFileSystems && of("Resizing") === undefined && stage === "" && trouble === undefined) {
        return undefined;
    }
    const since = waits?.lastTransitionTime === undefined ? undefined : new Date(waits.lastTransitionTime).getTime();
    return {
        of: isFileSystems ? "file-system" : "volume",
        ...(since === undefined ? {} : { since, waited: at - since }),
        ...(trouble === undefined ? {} : { trouble }),
        ...(stage.endsWith("Infeasible") ? { isInfeasible: true } : {}),
    };
}

function attributesOf(status: ListedClaim["status"]): VolumeAttributes | undefined {
    const { currentVolumeAttributesClassName: current, modifyVolumeStatus: change, conditions = [] } = status ?? {};
    const failed = conditions.find((one) => one.type === "ModifyVolumeError" && one.status === "True" && one.message);
    return current === undefined && change === undefined && failed === undefined
        ? undefined
        : {
              ...(current ? { current } : {}),
              ...(failed === undefined ? {} : { trouble: failed.message }),
              ...(change?.status === "Infeasible" ? { isInfeasible: true } : {}),
          };
}
