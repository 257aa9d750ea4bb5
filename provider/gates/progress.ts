import { closeSync, openSync } from "node:fs";
import { credentials, status } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Progress } from "../cluster/gatePorts";

/** The shortest time between two statuses, so fast observations do not flood the engine. */
const statusEveryMilliseconds = 500;

interface Unsent {
    readonly request: LogRequest;
    /** Whether a newer status of the same gate takes its place. */
    readonly isStatus: boolean;
}

/** How long gates may clean up after Pulumi has gone. Then their process exits: nothing else ends a dynamic provider. */
const cleanupMilliseconds = 120_000;

let engine: EngineClient | undefined | null;
let engineAnswered = false;
let abandoned = false;
let terminal: boolean | undefined;
/** What is not sent yet. The engine takes calls side by side, so two that are under way may change places. */
let unsent: Unsent[] = [];
let isSending = false;
/** The resources whose last message is still on their line. */
const shown = new Set<string>();
/** By a gate's URN, the URN of the resource on whose line a terminal shows the gate's messages. */
const lines = new Map<string, string>();
/** Called once all is sent. */
const awaiting: (() => void)[] = [];
/** A display that takes no messages, as with `pulumi up | less`, must not hold up a gate for longer. */
const longestSendMilliseconds = 2_000;

/**
 * Creates messages on the resource's own line of Pulumi's display, and in a terminal on the line of `showOn`. The dynamic provider's
 * process gets the engine's address as its last argument. Without an address, messages go to standard output, which Pulumi shows
 * too. An engine that answered before and does not answer now was killed: then no message reaches anyone, not even on standard output.
 * @param isTerminal whether Pulumi shows the run in a terminal.
 */
export function createProgress(urn: string, isTerminal: () => boolean = hasTerminal): Progress {
    let statusAt = 0;
    let last = "";
    const say = (severity: 1 | 2, message: string): void => {
        log(urn, severity, message, false);
        if (lines.has(urn) && isTerminal()) {
            sendStatus(lineOf(urn), message);
        }
    };
    return {
        get abandoned() {
            return abandoned;
        },
        info: (message) => say(LogSeverity.INFO, message),
        warn: ({ message }) => say(LogSeverity.WARNING, message),
        note: (message) =>
            isTerminal() ? sendStatus(lineOf(urn), message) : log(urn, LogSeverity.INFO, message, true),
        status: (message) => {
            if (isTerminal() && message !== last && Date.now() - statusAt >= statusEveryMilliseconds) {
                statusAt = Date.now();
                last = message;
                sendStatus(lineOf(urn), message);
            }
        },
    };
}

/** Shows the messages of a gate on the line of another resource, where that is a terminal's. A log has them on the gate's own line. */
export function showOn(gateUrn: string, lineUrn: string): void {
    lines.set(gateUrn, lineUrn);
}

function lineOf(gateUrn: string): string {
    return lines.get(gateUrn) ?? gateUrn;
}

/** Takes the last message of a gate off the lines that have it. */
export function clearLines(gateUrn: string): void {
    for (const urn of new Set([gateUrn, lineOf(gateUrn)])) {
        if (shown.has(urn)) {
            sendStatus(urn, "");
            shown.delete(urn);
        }
    }
}

/** Sends a status without `waiting`, which the place for it implies. It replaces those that no line has shown yet. */
function sendStatus(urn: string, message: string): void {
    unsent = unsent.filter((one) => !one.isStatus || one.request.getUrn() !== urn);
    log(urn, LogSeverity.INFO, message.replace(/^waiting: /, ""), true, true);
}

/**
 * Whether Pulumi shows a run in a terminal. There a status replaces the one before; without a terminal Pulumi prints each
 * of them as a line. Pulumi does not say which it does, so this asks for what it asks for itself
 * (sdk/go/common/util/cmdutil/console.go), as far as a provider can see it: its standard streams are never a terminal.
 */
function hasTerminal(): boolean {
    terminal ??= seesTerminal(process.env, () => closeSync(openSync("/dev/tty", "r")));
    return terminal;
}

/** @param openTerminal throws if the process has no terminal. Windows has no such file: there it may have one. */
export function seesTerminal(environment: NodeJS.ProcessEnv, openTerminal: () => void): boolean {
    if (environment.TERM?.toLowerCase() === "dumb" || (environment.CI ?? "") !== "") {
        return false;
    }
    if (process.platform === "win32") {
        return true;
    }
    try {
        openTerminal();
        return true;
    } catch {
        return false;
    }
}

function log(urn: string, severity: 1 | 2, message: string, ephemeral: boolean, isStatus = false): void {
    connect();
    if (abandoned) {
        return;
    }
    const request = new LogRequest();
    request.setSeverity(severity);
    request.setMessage(message);
    request.setUrn(urn);
    request.setEphemeral(ephemeral);
    shown.add(urn);
    unsent.push({ request, isStatus });
    if (!isSending) {
        sendNext();
    }
}

function sendNext(): void {
    for (;;) {
        const next = abandoned ? undefined : unsent.shift();
        isSending = next !== undefined;
        if (next === undefined) {
            awaiting.splice(0).forEach((resolve) => resolve());
            return;
        }
        if (engine) {
            send(next.request, engine);
            return;
        }
        print(next.request);
    }
}

function send(request: LogRequest, to: EngineClient): void {
    to.log(request, (error) => {
        if (!error) {
            engineAnswered = true;
        } else if (!engineAnswered) {
            engine = null;
            process.stdout.write(`${request.getMessage()}\n`);
        } else if (error.code !== status.UNAVAILABLE) {
            print(request);
        } else if (!abandoned) {
            abandoned = true;
            setTimeout(() => process.exit(1), cleanupMilliseconds).unref();
        }
        sendNext();
    });
}

function print(request: LogRequest): void {
    if (!request.getEphemeral()) {
        process.stdout.write(`${request.getMessage()}\n`);
    }
}

/** Waits until every message has reached the engine: once a gate has answered, Pulumi may be gone. */
export function allSent(): Promise<void> {
    return new Promise((resolve) => {
        if (!isSending) {
            resolve();
            return;
        }
        const late = setTimeout(resolve, longestSendMilliseconds);
        awaiting.push(() => {
            clearTimeout(late);
            resolve();
        });
    });
}

function connect(): void {
    const address = process.argv.at(-1) ?? "";
    if (engine === undefined) {
        engine = /^[\w.-]+:\d+$/.test(address) ? new EngineClient(address, credentials.createInsecure()) : null;
    }
}
