"use strict";
/**
 * A process that runs one script after the other. It keeps what costs most in a new process: compiled code, and libraries that know nothing
 * of a run. A script leaves nothing else to the next one, which loads Pulumi's packages and ours again, and has the environment, globals,
 * listeners and patches of a new process. `warmProcesses.ts` sends the scripts, and gets what they print and their exit codes.
 *
 * usage: warmProcess.js KIND, with the folder in `cmd` of Pulumi's SDK of what it runs
 */
const Module = require("node:module");
const { useArchiveOf } = require("./quickStart.js");

/** The script in progress. */
let run;
const [timeout, interval, immediate] = [setTimeout, setInterval, setImmediate];
/** The timers of libraries, which outlive a script: those of the script in progress. */
const timersOfLibraries = {
    functions: [timeout, interval, immediate].map(
        (begin, index) =>
            (...given) =>
                (run?.timers.functions[index] ?? begin)(...given),
    ),
    promises: { setTimeout: (...given) => run.timers.promises.setTimeout(...given) },
};
useArchiveOf(process.argv[2], (file) => (isLibrary(file) ? timersOfLibraries : run.timers));

/**
 * Whether a module knows nothing of a run: protocols, parsers, clients. Pulumi's packages and our own do, and are loaded again for each.
 * @param {string} file
 */
function isLibrary(file) {
    return /[\\/]node_modules[\\/](?!.*@pulumi[\\/])|[\\/]@pulumi[\\/]pulumi[\\/]proto[\\/]/.test(file);
}

const ownEvents = ["message", "internalMessage", "disconnect", "newListener", "removeListener"];
const own = {
    modules: new Set(Object.keys(Module._cache)),
    // Protocol Buffers' messages refer to each other by a global.
    globals: new Set([...Reflect.ownKeys(globalThis), "proto"]),
    folder: process.cwd(),
    patched: [
        [Module, ["_load", "_resolveFilename"]],
        [Module._extensions, Object.keys(Module._extensions)],
        [Module.prototype, ["require", "_compile"]],
        [Error, ["prepareStackTrace", "stackTraceLimit"]],
        [console, ["log", "info", "warn", "error", "debug"]],
    ].map(([object, names]) => [object, Object.fromEntries(names.map((name) => [name, object[name]]))]),
};
/** Looks at what is left of a script before this process is given up. */
const mostLooks = 1_000;

for (const stream of ["stdout", "stderr"]) {
    process[stream].write = (text, encoding, done = encoding) => {
        process.send({ stream, text: String(text) });
        if (typeof done === "function") {
            process.nextTick(done);
        }
        return true;
    };
}

process.on("disconnect", () => process.exit());
process.on("message", ({ begin, end }) => (begin === undefined ? end && finish(null) : start(begin)));
process.channel.unref();
/** Keeps this process between two scripts. While one runs, nothing but the script itself does. */
let waiting = setInterval(() => {}, 2 ** 30);

function start({ file, arguments: given, folder, environment }) {
    run = { timers: timersOfRun(), idle: 0 };
    clearInterval(waiting);
    process.argv = [process.execPath, file, ...given];
    process.chdir(folder);
    setEnvironment(environment);
    process.on("beforeExit", lookWhetherOver);
    try {
        require(file);
    } catch (error) {
        console.error(error);
        process.exit(1);
    }
}

/** Ends the script when nothing is left to do, as its process would. Another listener may have begun something that it ends asynchronously. */
function lookWhetherOver() {
    const { timers } = run;
    setImmediate(() => {
        if (run?.timers !== timers) {
            return;
        }
        run.idle = process.getActiveResourcesInfo().some((name) => name !== "Immediate") ? 0 : run.idle + 1;
        if (run.idle > 2) {
            process.emit("exit", process.exitCode ?? 0);
            finish(process.exitCode ?? 0);
        }
    });
}

/** Ends all that the script has left, as the end of its process would. */
function finish(exitCode, looks = 0) {
    run.timers.end();
    process.off("beforeExit", lookWhetherOver);
    const handles = process._getActiveHandles();
    handles.forEach((one) => one.destroy?.() ?? one.close?.());
    const isQuiet = process.getActiveResourcesInfo().every((name) => name === "Immediate");
    if (handles.length === 0 && isQuiet && looks > 2) {
        restore();
        process.send({ ended: true, exitCode });
    } else if (looks < mostLooks) {
        setImmediate(() => finish(exitCode, looks + 1));
    } else {
        process.exit();
    }
}

/** Makes this process as it was before the script. */
function restore() {
    run = undefined;
    waiting = setInterval(() => {}, 2 ** 30);
    Object.keys(Module._cache)
        .filter((name) => !own.modules.has(name) && !isLibrary(name))
        .forEach((name) => delete Module._cache[name]);
    Reflect.ownKeys(globalThis)
        // Node.js makes a few of its own when they are used, which cannot be deleted.
        .filter((name) => !own.globals.has(name) && Object.getOwnPropertyDescriptor(globalThis, name).configurable)
        .forEach((name) => delete globalThis[name]);
    for (const [object, values] of own.patched) {
        Object.keys(object === Module._extensions ? object : {}).forEach((name) => delete object[name]);
        Object.assign(object, values);
    }
    process
        .eventNames()
        .filter((name) => !ownEvents.includes(name))
        .forEach((name) => process.removeAllListeners(name));
    module.children.length = 0;
    process.exitCode = undefined;
    process.chdir(own.folder);
}

function setEnvironment(environment) {
    Object.keys(process.env).forEach((name) => delete process.env[name]);
    Object.assign(process.env, environment);
}

/** The timers of a script's modules, which end with it. */
function timersOfRun() {
    const begun = new Set();
    let isOver = false;
    const recorded =
        (begin) =>
        (...given) => {
            const timer = begin(...given);
            if (isOver) {
                clear(timer);
            } else {
                begun.add(timer);
            }
            return timer;
        };
    const functions = [timeout, interval, immediate].map(recorded);
    const sleep = (milliseconds, value, { signal, ref = true } = {}) =>
        new Promise((resolve, reject) => {
            const aborted = () => {
                clearTimeout(timer);
                const error = new Error("The operation was aborted", { cause: signal.reason });
                reject(Object.assign(error, { name: "AbortError", code: "ABORT_ERR" }));
            };
            const timer = functions[0](() => {
                signal?.removeEventListener("abort", aborted);
                resolve(value);
            }, milliseconds);
            if (!ref) {
                timer.unref();
            }
            if (signal?.aborted) {
                aborted();
            }
            signal?.addEventListener("abort", aborted, { once: true });
        });
    return {
        functions,
        promises: { setTimeout: sleep },
        end: () => {
            isOver = true;
            begun.forEach(clear);
            begun.clear();
        },
    };
}

function clear(timer) {
    clearTimeout(timer);
    clearImmediate(timer);
}
