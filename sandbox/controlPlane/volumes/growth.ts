import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { bytesOf } from "../../quantity";
import { type Driver, errorText, isFinal, isInfeasible, refusedGrowth } from "./driver";
import {
    hasCondition,
    podsOnRunningNodes,
    type VolumeEvent,
    type VolumeMemory,
    type VolumeStep,
    type VolumeWorld,
    withConditions,
} from "./step";

/** How long a volume stays attached after its last pod is gone. */
const detachMilliseconds = 2_000;

const resizeConditions = ["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"];

/** Whose turn it is: a claim's `status.allocatedResourceStatuses.storage`. */
const byController = "ControllerResizeInProgress";
const nodePending = "NodeResizePending";
const byNode = "NodeResizeInProgress";

/** A claim that has less than it requests. */
interface Growth extends VolumeWorld {
    readonly volume: k8s.V1PersistentVolume;
    readonly driver: Driver;
    readonly phase?: string;
    readonly allocated?: string;
}

/**
 * The next step of a bound claim that requests more than it has, first of the external resizer, then of the kubelet. Undefined if nothing
 * is to be done until something changes.
 */
export function nextGrowth(world: VolumeWorld, memory: VolumeMemory): VolumeStep | undefined {
    const { claim, volume, driver } = world;
    const wanted = claim.spec?.resources?.requests?.storage;
    const { status } = claim;
    const isGrowing = wanted !== undefined && bytesOf(wanted) > bytesOf(status?.capacity?.storage ?? "0");
    if (status?.phase !== "Bound" || !isGrowing || volume === undefined || driver === undefined) {
        return undefined;
    }
    const phase = status.allocatedResourceStatuses?.storage;
    const allocated = status.allocatedResources?.storage;
    const growth: Growth = { ...world, volume, driver, phase, allocated };
    const size = volume.spec?.capacity?.storage ?? "0";
    const isOnNode = phase === nodePending || phase === byNode;
    if (isOnNode && allocated !== undefined && bytesOf(size) >= bytesOf(allocated)) {
        return onNode(growth, allocated, memory);
    }
    return memory.growth === undefined
        ? beginGrowth(growth, targetOf(growth, wanted, memory), memory)
        : endGrowth(growth, memory.growth, memory);
}

/** What may have been done already is finished first; only a growth that has certainly failed is replaced by another size. */
function targetOf({ volume, phase, allocated }: Growth, wanted: string, memory: VolumeMemory): string {
    const isDone = bytesOf(volume.spec?.capacity?.storage ?? "0") >= bytesOf(wanted);
    const mayGoOn =
        isDone || phase === nodePending || phase === byNode || (phase === byController && !memory.hasFailed);
    return mayGoOn ? (allocated ?? wanted) : wanted;
}

function beginGrowth(growth: Growth, target: string, memory: VolumeMemory): VolumeStep {
    const { claim, volume, driver, pods, allocated, now } = growth;
    const isNew = target !== allocated;
    if (!isNew && memory.growthAgainAt !== undefined && now < memory.growthAgainAt) {
        return { memory, againAt: memory.growthAgainAt };
    }
    const conditions = withConditions(claim, [{ type: "Resizing" }], now, isNew ? resizeConditions : []);
    const marked = {
        conditions,
        allocatedResources: { storage: target },
        allocatedResourceStatuses: { storage: byController },
    };
    const status = isNew ? marked : hasCondition(claim, "Resizing") ? undefined : { conditions };
    if (memory.refusedInUse && pods.length > 0) {
        const again = now + driver.retrySeconds * 1_000;
        const of = `${claim.metadata?.namespace}/${claim.metadata?.name}`;
        const why = `CSI driver ${driver.name} only supports offline expansion and volume is currently in-use`;
        const events = [failed(driver, `Unable to expand ${of} because ${why}`)];
        return { status, events, memory: { ...memory, growthAgainAt: again }, againAt: again };
    }
    const message = `External resizer is resizing volume ${volume.metadata?.name}`;
    return {
        status,
        events: [{ type: "Normal", reason: "Resizing", message, from: resizer(driver) }],
        memory: { ...memory, growth: { target, since: now }, growthAgainAt: undefined, refusedInUse: false },
        againAt: now + driver.seconds * 1_000,
    };
}

function endGrowth(
    growth: Growth,
    { target, since }: { target: string; since: number },
    memory: VolumeMemory,
): VolumeStep {
    const { claim, volume, driver, pods, others, now } = growth;
    const endsAt = since + driver.seconds * 1_000;
    if (now < endsAt) {
        return { memory, againAt: endsAt };
    }
    const isAttached = memory.freeSince === undefined || now < memory.freeSince + detachMilliseconds;
    const error = refusedGrowth(driver, target, isAttached, others);
    if (error !== undefined) {
        const text = errorText(error);
        const condition = { type: "ControllerResizeError", message: `failed to expand pvc with ${text}` };
        const growthAgainAt = now + driver.retrySeconds * 1_000;
        const refusedInUse = error.code === "FailedPrecondition";
        const status = isFinal(error)
            ? {
                  conditions: withConditions(claim, [condition], now),
                  ...(isInfeasible(error)
                      ? { allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" } }
                      : {}),
              }
            : undefined;
        const message = `resize volume "${volume.metadata?.name}" by resizer "${driver.name}" failed: ${text}`;
        return {
            status,
            events: [failed(driver, message)],
            memory: { ...memory, growth: undefined, growthAgainAt, refusedInUse, hasFailed: isFinal(error) },
            againAt: growthAgainAt,
        };
    }
    const pending = {
        type: "FileSystemResizePending",
        message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
    };
    return {
        volume: { spec: { capacity: { storage: target } } },
        status: {
            conditions: withConditions(claim, [pending], now),
            allocatedResourceStatuses: { storage: nodePending },
        },
        events: [
            {
                type: "Normal",
                reason: "FileSystemResizeRequired",
                message: "Require file system resize of volume on node",
                from: resizer(driver),
            },
        ],
        memory: {
            freeSince: memory.freeSince,
            modification: memory.modification,
            modificationAgainAt: memory.modificationAgainAt,
            mountedBy: pods.filter(({ spec }) => spec?.nodeName !== undefined).map(uidOf),
        },
    };
}

/** The kubelet's part: the file system. A volume that is mounted already grows only if the driver can do so online. */
function onNode(growth: Growth, allocated: string, memory: VolumeMemory): VolumeStep | undefined {
    const { claim, volume, driver, phase, now } = growth;
    const pods = podsOnRunningNodes(growth);
    const able = driver.expansion === "restart" ? pods.filter((pod) => !memory.mountedBy?.includes(uidOf(pod))) : pods;
    const [pod] = able.length > 0 ? able : pods;
    const hasRefused = hasCondition(claim, "NodeResizeError");
    if (pod === undefined || (able.length === 0 && hasRefused)) {
        return undefined;
    }
    if (phase === nodePending || memory.onNodeSince === undefined) {
        const status = phase === byNode ? undefined : { allocatedResourceStatuses: { storage: byNode } };
        return { status, memory: { ...memory, onNodeSince: now }, againAt: now + driver.seconds * 1_000 };
    }
    const endsAt = memory.onNodeSince + driver.seconds * 1_000;
    if (now < endsAt) {
        return { memory, againAt: endsAt };
    }
    if (able.length === 0) {
        const text = errorText({ code: "FailedPrecondition", message: "the file system is mounted" });
        const why = `failed to expand pvc with Expander.NodeExpand failed to expand the volume : ${text}`;
        const conditions = withConditions(claim, [{ type: "NodeResizeError", message: why }], now);
        return { status: { conditions }, memory: { ...memory, onNodeSince: undefined } };
    }
    const node = pod.spec?.nodeName ?? "";
    const done: VolumeEvent = {
        type: "Normal",
        reason: "FileSystemResizeSuccessful",
        message: `MountVolume.NodeExpandVolume succeeded for volume "${volume.metadata?.name}" ${node}`,
        from: "kubelet",
    };
    return {
        status: {
            capacity: { storage: allocated },
            conditions: withConditions(claim, [], now, resizeConditions),
            allocatedResourceStatuses: null,
        },
        events: [done, { ...done, on: pod }],
        memory: { ...memory, onNodeSince: undefined, mountedBy: undefined },
    };
}

/** The controller that grows and modifies the volumes of a driver, as it signs its Events. */
export function resizer({ name }: Driver): string {
    return `external-resizer ${name}`;
}

function failed(driver: Driver, message: string): VolumeEvent {
    return { type: "Warning", reason: "VolumeResizeFailed", message, from: resizer(driver) };
}

function uidOf({ metadata }: k8s.V1Pod): string {
    return metadata?.uid ?? "";
}
