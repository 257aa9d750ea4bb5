import * as fs from "node:fs";
import * as path from "node:path";
import type { OwnerMessage } from "./detachedSandbox";
import { startSandbox, type Sandbox } from "./sandbox";

// The program of a detached sandbox: runs it until SIGTERM or SIGINT.

function tell(message: OwnerMessage): void {
    if (process.connected) {
        process.send?.(message);
    }
}

async function main(): Promise<void> {
    const { name, folder, nodes } = JSON.parse(process.argv[2]) as { name: string; folder: string; nodes?: number };
    const running: { sandbox?: Sandbox } = {};
    const log = (line: string): void => {
        if (running.sandbox === undefined) {
            tell({ log: line });
        } else if (fs.existsSync(folder)) {
            fs.appendFileSync(path.join(folder, "logs", "owner.log"), `${new Date().toISOString()} ${line}\n`);
        }
    };
    const end = (): void => {
        // Before it is ready there is nothing to end in order: the watchdog removes what there is.
        void (running.sandbox?.down() ?? Promise.resolve()).finally(() => process.exit(0));
    };
    process.on("SIGTERM", end);
    process.on("SIGINT", end);
    process.on("disconnect", () => {
        if (running.sandbox === undefined) {
            end(); // Whoever wanted it is gone.
        }
    });
    setInterval(() => undefined, 60_000); // A sandbox runs until it is told to end.
    running.sandbox = await startSandbox({ name, folder, nodes, log });
    tell({ ready: true });
}

main().catch((error: unknown) => {
    tell({ error: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    process.disconnect?.();
    process.exit();
});
