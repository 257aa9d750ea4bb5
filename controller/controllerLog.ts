import type { ClusterName } from "../provider/cluster/controllerCalls";
import type { Progress } from "../provider/cluster/gatePorts";
import type { ControllerActionKind } from "../topology/controllerPermissions";

/** What a line of the log is about, besides its message. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The log of the controller: one line for each message. */
export interface ControllerLog {
    info(message: string, fields?: LogFields): void;
    warn(message: string, fields?: LogFields): void;
    error(message: string, fields?: LogFields): void;
}

/** `json`: an object in each line, for programs; `text`: for a terminal. */
export type LogFormat = "json" | "text";

/**
 * Returns a log that writes lines.
 * @param now the time in milliseconds since 1970
 */
export function controllerLog(format: LogFormat, write: (line: string) => void, now: () => number): ControllerLog {
    const say =
        (level: "info" | "warn" | "error") =>
        (message: string, fields: LogFields = {}) => {
            const time = new Date(now()).toISOString();
            write(
                format === "json"
                    ? JSON.stringify({ time, level, message, ...fields })
                    : [time, level.padEnd(5), ...subjectOf(fields), message].join(" "),
            );
        };
    return { info: say("info"), warn: say("warn"), error: say("error") };
}

/** Returns how an action tells in the log what it does to a cluster. */
export function progressInLog(log: ControllerLog): (name: ClusterName, kind: ControllerActionKind) => Progress {
    return (name, kind) => ({
        info: (message) => log.info(message, { ...name, kind }),
        warn: ({ code, message }) => log.warn(message, { ...name, kind, code }),
        note: (message) => log.info(message, { ...name, kind }),
        status: () => undefined,
    });
}

/** The text names only the cluster: the message says the rest. */
function subjectOf({ namespace, cluster }: LogFields): string[] {
    return namespace === undefined || cluster === undefined ? [] : [`${String(namespace)}/${String(cluster)}:`];
}
