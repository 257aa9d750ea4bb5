import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { driverName, driverOf } from "../../../sandbox/controlPlane/volumes/driver";
import { newMemory, nextVolumeStep, writes } from "../../../sandbox/controlPlane/volumes/nextVolumeStep";
import type { VolumeMemory, VolumeWorld } from "../../../sandbox/controlPlane/volumes/step";
import { type ClassOptions, storageClass } from "../e2e/storageClass";

/** A bound claim with its volume, in memory: `advance` lets time go on, and takes each step that is due. */
export class PlayedClaim {
    readonly claims: k8s.V1PersistentVolumeClaim[];
    readonly events: string[] = [];
    world: VolumeWorld;
    private memory: VolumeMemory = newMemory;

    constructor(options: ClassOptions = {}, change: Partial<VolumeWorld> = {}) {
        this.world = {
            claim: {
                metadata: { namespace: "default", name: "data", uid: "c" },
                spec: { volumeName: "v", resources: { requests: { storage: "10Gi" } } },
                status: { phase: "Bound", capacity: { storage: "10Gi" } },
            },
            volume: volumeOf("v", "10Gi"),
            driver: driverOf(storageClass("class", options)),
            others: [],
            pods: [],
            nodes: [nodeOf("node-0", "True")],
            now: Date.UTC(2026, 0, 1),
            ...change,
        };
        this.claims = [this.world.claim];
    }

    change(change: Partial<VolumeWorld>): void {
        this.world = { ...this.world, ...change };
        this.settle();
    }

    request(storage: string): void {
        const { claim } = this.world;
        this.change({ claim: { ...claim, spec: { ...claim.spec, resources: { requests: { storage } } } } });
    }

    attributes(name: string, attributesClass?: k8s.V1VolumeAttributesClass): void {
        const { claim } = this.world;
        const spec = { ...claim.spec, volumeAttributesClassName: name };
        this.change({ claim: { ...claim, spec }, attributesClass });
    }

    /** Takes the steps of so many seconds, each when it is due. */
    advance(seconds: number): void {
        const end = this.world.now + seconds * 1_000;
        for (let againAt = this.settle(); againAt !== undefined && againAt <= end; againAt = this.settle()) {
            this.world = { ...this.world, now: Math.max(againAt, this.world.now) };
        }
        this.world = { ...this.world, now: end };
        this.settle();
    }

    /** @returns when to look again */
    private settle(): number | undefined {
        for (;;) {
            const step = nextVolumeStep(this.world, this.memory);
            this.memory = step.memory;
            this.events.push(
                ...(step.events ?? []).map(
                    ({ type, reason, message, on }) =>
                        `${type} ${reason}: ${message}${on === undefined ? "" : " (pod)"}`,
                ),
            );
            if (!writes(step)) {
                return step.againAt;
            }
            this.world = {
                ...this.world,
                ...(step.volume === undefined ? {} : { volume: merged(this.world.volume ?? {}, step.volume) }),
                ...(step.status === undefined ? {} : { claim: merged(this.world.claim, { status: step.status }) }),
            };
            this.claims.push(...(step.status === undefined ? [] : [this.world.claim]));
        }
    }
}

/** A volume of the sandbox's driver that was made with 10Gi. */
export function volumeOf(name: string, storage: string): k8s.V1PersistentVolume {
    const csi = { driver: driverName, volumeHandle: name, volumeAttributes: { size: "10Gi" } };
    return { metadata: { name }, spec: { capacity: { storage }, csi } };
}

/** A pod on a node. */
export function podOn(uid: string, nodeName: string | undefined): k8s.V1Pod {
    return { metadata: { name: uid, uid }, spec: { nodeName, containers: [] }, status: { phase: "Running" } };
}

/** A node whose Ready condition has a status. */
export function nodeOf(name: string, ready: string, labels: Record<string, string> = {}): k8s.V1Node {
    return { metadata: { name, labels }, status: { conditions: [{ type: "Ready", status: ready }] } };
}

/** An object with a merge patch applied. */
function merged<T extends object>(object: T, patch: object): T {
    const entries = Object.entries(patch).flatMap(([key, value]: [string, unknown]) => {
        const old = (object as Record<string, unknown>)[key];
        const isNested = typeof value === "object" && value !== null && !Array.isArray(value);
        return value === null ? [[key, undefined]] : [[key, isNested ? merged({ ...(old as object) }, value) : value]];
    });
    return { ...object, ...(Object.fromEntries(entries) as object) };
}
