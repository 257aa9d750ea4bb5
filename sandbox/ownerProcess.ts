import * as fs from "node:fs";
import type { OwnerMessage, OwnerOptions } from "./detachedSandbox";
import { failureText } from "./failureText";
import { startSandbox, type Sandbox } from "./sandbox";
import { ownerLog } from "./dataPlane/startFailures";

// The program of a detached sandbox. It runs the sandbox until it receives SIGTERM or SIGINT.

function send(message: OwnerMessage): void {
    if (process.connected) {
        process.send?.(message);
    }
}

async function main(): Promise<void> {
    const options = JSON.parse(process.argv[2]) as OwnerOptions;
    const { folder } = options;
    const running: { sandbox?: Sandbox } = {};
    const log = (line: string): void => {
        if (running.sandbox === undefined) {
            send({ log: line });
        } else if (fs.existsSync(folder)) {
            fs.appendFileSync(ownerLog(folder), `${new Date().toISOString()} ${line}\n`);
        }
    };
    const end = (): void => {
        // Before the sandbox is ready, no orderly shutdown is needed: the watchdog removes everything.
        void (running.sandbox?.down() ?? Promise.resolve()).finally(() => process.exit(0));
    };
    process.on("SIGTERM", end);
    process.on("SIGINT", end);
    process.on("disconnect", () => {
        if (running.sandbox === undefined) {
            end(); // The process that started this one is gone.
        }
    });
    setInterval(() => undefined, 60_000); // Keeps the process running until it receives a signal.
    running.sandbox = await startSandbox({ ...options, detached: true, log });
    send({ ready: true });
}

main().catch((error: unknown) => {
    send({ error: failureText(error) });
    process.exitCode = 1;
    process.disconnect?.();
    process.exit();
});
