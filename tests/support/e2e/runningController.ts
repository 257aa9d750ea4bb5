import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { builtCommand } from "./builtCommand";
import { until } from "./expect";

interface Line {
    readonly level: string;
    readonly message: string;
    readonly cluster?: string;
    readonly kind?: string;
}

/** A controller as users run it: the built command, in a process. */
export class RunningController {
    readonly lines: Line[] = [];
    private readonly child: ChildProcess;

    /** @param options of the command */
    constructor(kubeconfig: string, ...options: string[]) {
        const fixed = ["controller", "run", "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0", "--interval", "1"];
        this.child = spawn(process.execPath, [builtCommand, ...fixed, ...options], {
            stdio: ["ignore", "pipe", "inherit"],
        });
        createInterface({ input: this.child.stdout! }).on("line", (line) => this.lines.push(JSON.parse(line) as Line));
    }

    async page(name: string): Promise<string> {
        const [, address] = await until("the address", () => this.said(/^listens on (\S+)$/), 60_000);
        return (await fetch(`${address}${name}`)).text();
    }

    async leads(): Promise<boolean> {
        return /^pulumi_tidb_controller_leader 1$/m.test(await this.page("/metrics"));
    }

    said(pattern: RegExp): RegExpExecArray | undefined {
        return this.lines.map(({ message }) => pattern.exec(message)).find((found) => found !== null) ?? undefined;
    }

    /** @returns the exit code; null if the signal ended it. */
    async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
        if (this.child.exitCode === null && this.child.signalCode === null) {
            const ended = once(this.child, "exit");
            this.child.kill(signal);
            await ended;
        }
        return this.child.exitCode;
    }
}
