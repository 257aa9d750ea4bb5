import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { pdAddress } from "../kubernetes/pdAddress";
import { literalOptions, shellWord, withinQuotes } from "../kubernetes/shellQuote";
import { inlinePrologue, scriptText, setArguments, type ScriptLines } from "../kubernetes/startScript";
import type { PdClientScriptOptions } from "../kubernetes/startScriptOptions";

/** Options of Pump's start script. */
export interface PumpStartScriptOptions extends PdClientScriptOptions {
    /** Namespace of the cluster. Pump's container has no variable for it. */
    namespace: string;
    /** Log level (`log-level` in the configuration). */
    logLevel: string;
}

/**
 * Returns the start script of Pump's container, in POSIX sh. It is part of the command. Pump exits with 0 after it has gone
 * offline, and a restart would bring it back online, so the script then waits for the removal of its pod. Therefore Pump
 * runs as a child of the shell. The shell forwards SIGTERM to it, and Pump then announces that it pauses.
 */
export function pumpStartScript(given: PumpStartScriptOptions): string {
    const options = literalOptions(given);
    const isV2 = options.version === "v2";
    // Pump is not one of the members that can prefer `pdAddresses` (tidb-operator startscript/v2).
    const pd = pdAddress({ ...options, pdAddresses: [] }, true, "/var/lib/pump-tls");
    const level = shellWord(options.logLevel);
    const address = `-advertise-addr="$pod.${withinQuotes(advertisedZone(options))}:${ports.pump.api}"`;
    return scriptText(
        inlinePrologue("Pump", options),
        [...pd.lines, pd.word].some((line) => line.includes("$NAMESPACE"))
            ? [`NAMESPACE=${shellWord(options.namespace)}`]
            : [],
        pd.lines,
        setArguments(
            isV2
                ? [
                      `-pd-urls=${pd.word}`,
                      "-L",
                      level,
                      "-log-file=",
                      address,
                      "-data-dir=/data",
                      "--config=/etc/pump/pump.toml",
                  ]
                : [
                      `-pd-urls=${pd.word}`,
                      `-L=${level}`,
                      address,
                      "-config=/etc/pump/pump.toml",
                      "-data-dir=/data",
                      "-log-file=",
                  ],
        ),
        runLines,
    );
}

/** Pump advertises its short name, unless other Kubernetes clusters have to find it. */
function advertisedZone({ clusterName, namespace, clusterDomain, acrossK8s }: PumpStartScriptOptions): string {
    const service = headlessServiceName(clusterName, "pump");
    return clusterDomain
        ? `${service}.${namespace}.svc.${clusterDomain}`
        : acrossK8s
          ? `${service}.${namespace}.svc`
          : service;
}

const runLines: ScriptLines = [
    "",
    'echo "starting: /pump $*"',
    "stopping=",
    // Set before Pump starts. Otherwise an early signal would stop only the shell, or nothing if the shell is process 1.
    "trap 'stopping=yes; kill -TERM \"$!\" 2>/dev/null' TERM INT",
    '/pump "$@" &',
    "child=$!",
    '[ -z "$stopping" ] || kill -TERM "$child" 2>/dev/null',
    'wait "$child"',
    "code=$?",
    'while [ -n "$stopping" ] && kill -0 "$child" 2>/dev/null; do',
    '    wait "$child"',
    "    code=$?",
    "done",
    // Set before the question. Otherwise a signal between the two would only be noted, and the pod would wait on.
    "trap 'exit 0' TERM INT",
    'if [ -n "$stopping" ] || [ "$code" -ne 0 ]; then',
    '    exit "$code"',
    "fi",
    'echo "Pump is offline; this pod waits to be removed"',
    "while :; do",
    "    sleep 60 >/dev/null 2>&1 &",
    '    wait "$!"',
    "done",
];
