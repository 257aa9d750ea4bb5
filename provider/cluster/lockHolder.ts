import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import type { OtherRole } from "../lifecycle/vocabulary/lock";

/** Distinguishes processes with the same user, host and process id, as in containers. */
const instance = randomBytes(3).toString("hex");

let role = "";

/** Says from now on in the name of this process what it is: `controller`. Default: a run of a program, which only has its user. */
export function callThisProcess(what?: OtherRole): void {
    role = what === undefined ? "" : `${what} `;
}

/**
 * @returns the lock holder's name for this process, readable for colleagues: `ana@laptop, process 4711 (3f9a1c)`, or
 * `controller root@pod-0, process 1 (77c0de)`.
 */
export function lockHolder(): string {
    return `${role}${userInfo().username}@${hostname()}, process ${process.pid} (${instance})`;
}
