import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter } from "node:events";
import * as path from "node:path";
import { PassThrough } from "node:stream";
import { type NodeScript, type RunProcess, startNode } from "pulumi-tidb-sandbox/pulumi";

const file = path.join(__dirname, "warmProcess.js");
/** A process keeps a little of each script. */
const mostScripts = 40;

interface Warm {
    readonly process: ChildProcess;
    scripts: number;
}

/** What `warmProcess.js` says. */
type Answer = { stream: "stdout" | "stderr"; text: string } | { ended: true; exitCode: number | null };

/** Processes without a script, by kind. */
const idle: Record<string, Warm[]> = { run: [], "dynamic-provider": [] };

/**
 * Runs the program, or the provider of dynamic resources, in a process that has run others before it. TypeScript's compiler
 * stays in a process, so programs that need it get new ones.
 */
export function startWarm(script: NodeScript): RunProcess {
    const [, kind] = /[\\/]cmd[\\/](run|dynamic-provider)[\\/]/.exec(script.file) ?? [];
    const { PULUMI_NODEJS_TYPESCRIPT } = script.environment;
    return kind === undefined || PULUMI_NODEJS_TYPESCRIPT !== undefined || script.nodeArguments.length > 0
        ? startNode(script)
        : startIn(kind, script);
}

function startIn(kind: string, { file: script, arguments: given, folder, environment }: NodeScript): RunProcess {
    const warm = idle[kind].pop() ?? newProcess(kind);
    const { process: child } = warm;
    const output = { stdout: new PassThrough(), stderr: new PassThrough() };
    const events = new EventEmitter();
    let [isReady, isEnding] = [false, false];
    const end = (code: number | null): void => {
        isEnding = true;
        child.off("message", take).off("exit", end).unref();
        child.channel?.unref();
        events.emit("exit", code);
        void Promise.all(
            Object.values(output).map((stream) => new Promise((resolve) => stream.once("close", resolve).end())),
        ).then(() => events.emit("close", code));
    };
    const take = (answer: Answer): void => {
        if ("stream" in answer) {
            isReady = true;
            output[answer.stream].write(answer.text);
            return;
        }
        end(answer.exitCode);
        if (++warm.scripts < mostScripts) {
            idle[kind].push(warm);
        } else {
            child.disconnect();
        }
    };
    child.on("message", take).on("exit", end).ref();
    child.channel?.ref();
    child.send({ begin: { file: script, arguments: given, folder, environment } }, (error) => error && end(null));
    return Object.assign(events, output, {
        kill: () => {
            if (isEnding) {
                return;
            }
            isEnding = true;
            // A provider always ends by being killed, and is idle then. A program, or a provider that has not printed its port, is not.
            if (kind === "run" || !isReady) {
                child.kill("SIGKILL");
            } else {
                child.send({ end: true });
            }
        },
    });
}

function newProcess(kind: string): Warm {
    const child = fork(file, [kind], { detached: true, serialization: "json", stdio: "ignore", execArgv: [] });
    const warm = { process: child, scripts: 0 };
    child.once("exit", () => {
        idle[kind] = idle[kind].filter((one) => one !== warm);
    });
    return warm;
}
