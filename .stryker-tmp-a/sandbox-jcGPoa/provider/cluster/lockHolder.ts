import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";

/** Tells processes apart whose user, host and number are the same, as those of containers often are. */
const instance = randomBytes(3).toString("hex");

/** @returns who holds a lock of this process, in words that a colleague understands: `ana@laptop, process 4711 (3f9a1c)`. */
export function lockHolder(): string {
    return `${userInfo().username}@${hostname()}, process ${process.pid} (${instance})`;
}
