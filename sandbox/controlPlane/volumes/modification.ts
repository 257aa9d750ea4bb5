import { type Driver, driverName, errorText, isFinal, modification } from "./driver";
import { resizer } from "./growth";
import { type VolumeEvent, type VolumeMemory, type VolumeStep, type VolumeWorld, withConditions } from "./step";

const modifying = "ModifyingVolume";
const modifyError = "ModifyVolumeError";

/**
 * The next step of a bound claim whose VolumeAttributesClass is not the one that its volume has. Undefined if nothing is to be done until
 * something changes.
 */
export function nextModification(world: VolumeWorld, memory: VolumeMemory): VolumeStep | undefined {
    const { claim, volume, driver, attributesClass, now } = world;
    const wanted = claim.spec?.volumeAttributesClassName ?? "";
    const { modifyVolumeStatus: last, currentVolumeAttributesClassName: current = "" } = claim.status ?? {};
    const isOurs = claim.status?.phase === "Bound" && volume?.spec?.csi?.driver === driverName;
    if (driver === undefined || !isOurs || wanted === "" || (last === undefined && wanted === current)) {
        return undefined;
    }
    if (attributesClass === undefined) {
        const events = [event(driver, "VolumeModifyFailed", `VAC "${wanted}" does not exist.`)];
        return last?.status === "Pending"
            ? undefined
            : { status: { modifyVolumeStatus: { status: "Pending" } }, events, memory };
    }
    const call = memory.modification;
    if (call === undefined) {
        const isAgain = last?.targetVolumeAttributesClassName === wanted;
        if (isAgain && memory.modificationAgainAt !== undefined && now < memory.modificationAgainAt) {
            return { memory, againAt: memory.modificationAgainAt };
        }
        const message = `external resizer is modifying volume ${claim.metadata?.name} with vac ${wanted}`;
        return {
            status: inProgress(world, wanted, "InProgress", [
                condition(now, modifying, `Modifying volume to "${wanted}" is in progress.`),
            ]),
            events: [event(driver, "VolumeModify", message)],
            memory: { ...memory, modification: { target: wanted, since: now }, modificationAgainAt: undefined },
        };
    }
    const { seconds, refusal } = modification(attributesClass);
    const { target } = call;
    const endsAt = call.since + seconds * 1_000;
    if (now < endsAt) {
        return { memory, againAt: endsAt };
    }
    if (refusal === undefined) {
        const message = `external resizer modified volume ${claim.metadata?.name} with vac ${target} successfully`;
        return {
            volume: { spec: { volumeAttributesClassName: target } },
            status: {
                modifyVolumeStatus: null,
                currentVolumeAttributesClassName: target,
                conditions: withConditions(claim, [], now, [modifying, modifyError]),
            },
            events: [event(driver, "VolumeModifySuccessful", message)],
            memory: { ...memory, modification: undefined },
        };
    }
    const modificationAgainAt = now + driver.retrySeconds * 1_000;
    const then = isFinal(refusal) ? "failed. Waiting for retry." : "is still in progress.";
    const conditions = [
        condition(now, modifying, `Modifying volume to "${target}" ${then}`),
        { ...condition(now, modifyError, refusal.message), reason: refusal.code },
    ];
    const result = refusal.code === "InvalidArgument" ? "Infeasible" : "InProgress";
    return {
        status: inProgress(world, target, result, conditions),
        events: [event(driver, "VolumeModifyFailed", errorText(refusal))],
        memory: { ...memory, modification: undefined, modificationAgainAt },
        againAt: modificationAgainAt,
    };
}

function inProgress(
    { claim, now }: VolumeWorld,
    targetVolumeAttributesClassName: string,
    status: string,
    conditions: { type: string; message: string; reason?: string }[],
): object {
    return {
        modifyVolumeStatus: { status, targetVolumeAttributesClassName },
        conditions: withConditions(claim, conditions, now),
    };
}

function condition(now: number, type: string, message: string): { type: string; message: string; lastProbeTime: Date } {
    return { type, message, lastProbeTime: new Date(now) };
}

function event(driver: Driver, reason: string, message: string): VolumeEvent {
    return { type: reason.endsWith("Failed") ? "Warning" : "Normal", reason, message, from: resizer(driver) };
}
