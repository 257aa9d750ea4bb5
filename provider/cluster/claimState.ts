import {
    amountOf,
    type ClaimState,
    type VolumeAttributes,
    type VolumeResize,
} from "../lifecycle/vocabulary/claimState";
import type { GrownBy } from "../lifecycle/vocabulary/volumeGrowth";
import { grownByAnnotation } from "../../topology/annotations";
import type { ListedClaim } from "./listCalls";

/** The conditions of a claim whose messages are a driver's words. */
const errorConditions = ["ControllerResizeError", "NodeResizeError"];

/**
 * @param at when the claim was read, by the run's own clock.
 * @returns what its spec and status say of its volume.
 */
export function claimState({ metadata, spec, status }: ListedClaim, at: number): ClaimState {
    const resize = resizeOf(status, at);
    const attributes = attributesOf(status);
    const grown = grownBy(metadata?.annotations?.[grownByAnnotation]);
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
        ...(grown ? { grown } : {}),
    };
}

/** One that a user has edited so that it cannot be read says nothing. */
function grownBy(text: string | undefined): GrownBy | undefined {
    try {
        const { at = "", from, to, storeBytes } = (JSON.parse(text ?? "") as Partial<GrownBy> | null) ?? {};
        const sizes = [from, to].map(amountOf);
        return sizes.every((size) => size !== undefined) && Number(storeBytes) > 0 && Date.parse(at) > 0
            ? ({ at, from, to, storeBytes } as GrownBy)
            : undefined;
    } catch {
        return undefined;
    }
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
