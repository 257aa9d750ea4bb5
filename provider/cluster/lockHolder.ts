import { hostname, userInfo } from "node:os";

/** @returns who holds a lock of this process, in words that a colleague understands: `ana@laptop, process 4711`. */
export function lockHolder(): string {
    return `${userInfo().username}@${hostname()}, process ${process.pid}`;
}
