import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { bytesOf } from "../../quantity";
import { noProvisioner } from "../localDisks";

/** The name of the simulated CSI driver, and the provisioner of the classes whose parameters say how it behaves. */
export const driverName = "csi.sandbox.pulumi-tidb";

/** When a driver can grow a volume: at any time, its file system only as a pod starts, or only while no pod uses it. */
const expansions = ["online", "restart", "offline"] as const;

/** gRPC codes in which a driver refuses. Kubernetes tells three kinds apart: infeasible, failed, and not known whether it is still under way. */
const infeasible = ["InvalidArgument", "OutOfRange", "NotFound"];
const failed = ["Internal", "FailedPrecondition", "PermissionDenied", "Unimplemented"];
const uncertain = ["ResourceExhausted", "Unavailable", "DeadlineExceeded", "Aborted"];
const codes = [...infeasible, ...failed, ...uncertain];

/** How the driver of a class behaves. */
export interface Driver {
    readonly name: string;
    readonly expansion: (typeof expansions)[number];
    /** How long each of its calls takes. */
    readonly seconds: number;
    /** The pause before a refused call is repeated. */
    readonly retrySeconds: number;
    /** A request above this size is refused. */
    readonly refusesAbove?: string;
    /** Growth is refused once so many volumes of the class have grown. */
    readonly refusesAfter?: number;
    readonly refusesWith: string;
    readonly message: string;
}

/** A call that a driver refused. */
export interface DriverError {
    readonly code: string;
    readonly message: string;
}

/** The attribute of a volume that records the size it was made with. */
export const madeWith = "size";

/** What a driver of any other provisioner does: it is online and quick. */
const quick = { expansion: "online", seconds: 0, retrySeconds: 1, refusesWith: "OutOfRange", message: "" } as const;

/**
 * The driver of a class. Undefined if the class has no provisioner.
 * @throws if the parameters of a class of the simulated driver are not right
 */
export function driverOf({ provisioner, parameters = {} }: k8s.V1StorageClass): Driver | undefined {
    if (provisioner === noProvisioner) {
        return undefined;
    }
    if (provisioner !== driverName) {
        return { ...quick, name: provisioner };
    }
    const { driver, seconds, retrySeconds, refusesAbove, refusesAfter, refusesWith, message, ...others } = parameters;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
        throw new Error(`parameter "${unknown}" is not known`);
    }
    return {
        name: provisioner,
        expansion: oneOf("driver", expansions, driver ?? quick.expansion),
        seconds: numberOf("seconds", seconds) ?? quick.seconds,
        retrySeconds: numberOf("retrySeconds", retrySeconds) ?? quick.retrySeconds,
        refusesAbove: refusesAbove === undefined ? undefined : sizeOf(refusesAbove),
        refusesAfter: numberOf("refusesAfter", refusesAfter),
        refusesWith: oneOf("refusesWith", codes, refusesWith ?? quick.refusesWith),
        message: message ?? "the quota of the driver would be exceeded",
    };
}

/** The driver's answer to the request that a volume grow. Undefined if the volume has grown. */
export function refusedGrowth(
    driver: Driver,
    size: string,
    isAttached: boolean,
    others: readonly k8s.V1PersistentVolume[],
): DriverError | undefined {
    if (driver.expansion === "offline" && isAttached) {
        return { code: "FailedPrecondition", message: "the volume is attached to a node" };
    }
    const { refusesAbove, refusesAfter, refusesWith: code, message } = driver;
    const isTooLarge = refusesAbove !== undefined && bytesOf(size) > bytesOf(refusesAbove);
    const isLate = refusesAfter !== undefined && others.filter(hasGrown).length >= refusesAfter;
    return isTooLarge || isLate ? { code, message } : undefined;
}

/** How the driver modifies a volume for a VolumeAttributesClass: how long it takes, and its refusal. */
export function modification({ parameters = {} }: k8s.V1VolumeAttributesClass): {
    seconds: number;
    refusal?: DriverError;
} {
    const { seconds = "0", refusesWith, message = "the attributes are out of range" } = parameters;
    const refusal = refusesWith === undefined ? {} : { refusal: { code: refusesWith, message } };
    return { seconds: Number(seconds), ...refusal };
}

/** Whether a refused call has not begun or has failed: what it asked for can be changed. */
export function isFinal({ code }: DriverError): boolean {
    return !uncertain.includes(code);
}

/** Whether no later call of the same kind can succeed. */
export function isInfeasible({ code }: DriverError): boolean {
    return infeasible.includes(code);
}

/** An error as gRPC in Go writes it. */
export function errorText({ code, message }: DriverError): string {
    return `rpc error: code = ${code} desc = ${message}`;
}

function hasGrown({ spec }: k8s.V1PersistentVolume): boolean {
    const first = spec?.csi?.volumeAttributes?.[madeWith];
    return first !== undefined && bytesOf(spec?.capacity?.storage ?? "0") > bytesOf(first);
}

function oneOf<T extends string>(parameter: string, allowed: readonly T[], value: string): T {
    const found = allowed.find((one) => one === value);
    if (found === undefined) {
        throw new Error(`parameter ${parameter} is "${value}", expected one of ${allowed.join(", ")}`);
    }
    return found;
}

function numberOf(parameter: string, text: string | undefined): number | undefined {
    if (text !== undefined && !/^\d+(\.\d+)?$/.test(text)) {
        throw new Error(`parameter ${parameter} is "${text}", expected a number`);
    }
    return text === undefined ? undefined : Number(text);
}

function sizeOf(text: string): string {
    bytesOf(text);
    return text;
}
