import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";

/** Distinguishes processes with the same user, host and process id, as in containers. */
const instance = randomBytes(3).toString("hex");

/** @returns the lock holder's name for this process, readable for colleagues: `ana@laptop, process 4711 (3f9a1c)`. */
export function lockHolder(): string {
    return `${userInfo().username}@${hostname()}, process ${process.pid} (${instance})`;
}
