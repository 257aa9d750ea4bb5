import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { pdAddress } from "../kubernetes/pdAddress";
import { inlinePrologue, quoted, scriptText, setArguments, type ScriptLines } from "../kubernetes/startScript";
import type { PdClientScriptOptions } from "../kubernetes/startScriptOptions";

/** What Pump's start script needs to know. */
export interface PumpStartScriptOptions extends PdClientScriptOptions {
    /** Namespace of the cluster: Pump's container is not told. */
    namespace: string;
    /** Log level (`log-level` of its configuration). */
    logLevel: string;
}

/**
 * The start script of Pump's container: POSIX sh, part of the command. Pump ends with 0 once it has gone offline, and
 * would come back online if it were started again: the script then waits for its pod to be removed. Pump is the shell's
 * child for that, and is handed the pod's signal to end, by which it tells the others that it pauses.
 */
export function pumpStartScript(options: PumpStartScriptOptions): string {
    const second = options.version === "v2";
    // Pump is not among those for which given addresses may be preferred (tidb-operator startscript/v2).
    const pd = pdAddress({ ...options, pdAddresses: [] }, true, "/var/lib/pump-tls");
    const level = quoted(options.logLevel);
    const address = `-advertise-addr="$pod.${advertisedZone(options)}:${ports.pump.api}"`;
    return scriptText(
        inlinePrologue("Pump", options),
        [...pd.lines, pd.word].some((line) => line.includes("$NAMESPACE")) ? [`NAMESPACE=${options.namespace}`] : [],
        pd.lines,
        setArguments(
            second
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

/** Pump is known by its short name, unless other Kubernetes clusters have to find it. */
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
    // Before Pump starts: a signal that came in between would end the shell alone, or, as it is the pod's first process, nothing.
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
    'if [ -n "$stopping" ] || [ "$code" -ne 0 ]; then',
    '    exit "$code"',
    "fi",
    'echo "Pump is offline; this pod waits to be removed"',
    "trap 'exit 0' TERM INT",
    "while :; do",
    "    sleep 60 >/dev/null 2>&1 &",
    '    wait "$!"',
    "done",
];
