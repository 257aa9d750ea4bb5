import { memberName } from "../../topology/names";
import { discoveryPorts } from "../../topology/ports";
import type { StartScriptOptions } from "./startScriptOptions";

/** Lines of a start script. */
export type ScriptLines = readonly string[];

/** One word of sh, taken as it is. */
export function quoted(text: string): string {
    return /^[A-Za-z0-9_.,:/=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** One word of sh in which `$NAME` and `${NAME}` are replaced by the container's variables, and all else is taken as it is. */
export function quotedWithVariables(text: string): string {
    if (!/\$(\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_])/.test(text)) {
        return quoted(text);
    }
    const escaped = text.replace(/[\\"`]/g, "\\$&").replace(/\$(?!\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_])/g, "\\$");
    return `"${escaped}"`;
}

/**
 * What every start script begins with (lifecycle of tidb-operator's scripts, pkg/manager/member/startscript): the pod's
 * annotations must be mounted; with the annotation `runmode: debug` the container idles and starts nothing, so that
 * somebody can look into it. The annotations are read, not run: their values are anybody's text.
 * @param peerService Behind which the pod's domain name is. Default: the script needs no name.
 */
export function prologue(member: string, options: StartScriptOptions, peerService?: string): ScriptLines {
    const own = peerService === undefined ? [] : ownName(options, peerService);
    return [...header(member, options), ...debugSwitch(member), ...own];
}

/**
 * What a script begins with that is part of the container's command. Only the second scripts of tidb-operator have the
 * pod's annotations mounted for those, hence the debug switch.
 * @param peerService Behind which the pod's domain name is. Default: the script does not use it.
 */
export function inlinePrologue(member: string, options: StartScriptOptions, peerService?: string): ScriptLines {
    const own = ownName(options, peerService ?? "");
    return [
        ...header(member, options),
        ...(options.version === "v2" ? debugSwitch(member) : []),
        ...(peerService === undefined ? own.slice(0, -1) : own),
    ];
}

function header(member: string, options: StartScriptOptions): ScriptLines {
    return [
        "#!/bin/sh",
        `# Starts ${member} of the TiDB cluster ${options.clusterName}. Written by pulumi-tidb.`,
        "set -u",
        "trap 'exit 143' TERM",
        "trap 'exit 130' INT",
        "",
    ];
}

function debugSwitch(member: string): ScriptLines {
    return [
        "annotations=/etc/podinfo/annotations",
        'if [ ! -f "$annotations" ]; then',
        '    echo "$annotations is missing: the pod must mount its annotations there (downward API)" >&2',
        "    exit 1",
        "fi",
        "runmode=normal",
        "while IFS='=' read -r key value || [ -n \"$key\" ]; do",
        '    if [ "$key" = runmode ]; then',
        '        value=${value#\\"}',
        '        runmode=${value%\\"}',
        "    fi",
        'done <"$annotations"',
        'if [ "$runmode" = debug ]; then',
        `    echo "annotation runmode=debug: ${member} is not started; without the annotation the pod starts it again"`,
        "    while :; do",
        "        sleep 60 >/dev/null 2>&1 &",
        '        wait "$!"',
        "    done",
        "fi",
        "",
    ];
}

function ownName(options: StartScriptOptions, peerService: string): ScriptLines {
    const domain = options.clusterDomain ? `.${options.clusterDomain}` : "";
    return [
        "# shellcheck disable=SC3028 # Kubernetes sets HOSTNAME",
        "pod=${POD_NAME:-${HOSTNAME:-$(hostname)}}",
        `domain="$pod.${peerService}.$NAMESPACE.svc${domain}"`,
    ];
}

/** `random_below N` prints a number from 0 to N - 1. */
export const randomFunction: ScriptLines = [
    "random_below() {",
    "    number=$(od -An -N2 -tu2 /dev/urandom 2>/dev/null | tr -d ' \\n')",
    "    echo $((${number:-$$} % $1))",
    "}",
];

/**
 * `ask_discovery PATH` prints discovery's answer and fails when there is none within 3 s. wget, else curl. Where discovery
 * asks for a certificate only curl, with the member's own certificate: the wget of small images cannot present one.
 */
export function askDiscoveryFunction(options: StartScriptOptions, certificates: string): ScriptLines {
    const host = `${memberName(options.clusterName, "discovery")}.$NAMESPACE`;
    const url = (scheme: string) => `"${scheme}://${host}:${discoveryPorts.discovery}/$1"`;
    const missing = (tools: string) => [
        "else",
        `    echo "the script needs ${tools} to ask discovery, and the image has none" >&2`,
        "    exit 1",
        "fi",
    ];
    const curl = "if command -v curl >/dev/null 2>&1; then";
    if (options.discoveryMtls) {
        const files = `--cacert ${certificates}/ca.crt --cert ${certificates}/tls.crt --key ${certificates}/tls.key`;
        return [
            curl,
            "    ask_discovery() {",
            `        curl -sS --fail --max-time 3 ${files} ${url("https")}`,
            "    }",
            ...missing("curl"),
        ];
    }
    return [
        "if command -v wget >/dev/null 2>&1; then",
        `    ask_discovery() { wget -qO- -T 3 ${url("http")}; }`,
        `el${curl}`,
        `    ask_discovery() { curl -sS --fail --max-time 3 ${url("http")}; }`,
        ...missing("wget or curl"),
    ];
}

/**
 * Sets `answer` by asking discovery until it says something of the form expected (a pattern of `case`). Between two asks
 * 0 to 4 seconds pass, at random. `request` is the text that is sent, in base64.
 */
export function pollDiscovery(call: "new" | "verify", request: string, expected: string): ScriptLines {
    return [
        `request=$(printf '%s' "${request}" | base64 | tr -d ' \\n')`,
        "while :; do",
        `    answer=$(ask_discovery "${call}/$request" 2>/dev/null) || answer=`,
        "    case $answer in",
        '    "") echo "waiting for discovery; it logs why it does not answer" ;;',
        `    *[!][A-Za-z0-9_.:,=/-]*) echo "discovery answered something unexpected: $answer" >&2 ;;`,
        `    ${expected}) break ;;`,
        '    *) echo "discovery answered something unexpected: $answer" >&2 ;;',
        "    esac",
        '    sleep "$(random_below 5)"',
        "done",
    ];
}

/** Runs the program with the arguments collected, in place of the shell, so that it gets the pod's signals. */
export function execLines(program: string): ScriptLines {
    return ["", `echo "starting: ${program} $*"`, `exec ${program} "$@"`];
}

/** `set --` with one argument a line. */
export function setArguments(words: readonly string[]): ScriptLines {
    return ["set -- \\", ...words.map((word, index) => `    ${word}${index < words.length - 1 ? " \\" : ""}`)];
}

/** The script as text. */
export function scriptText(...parts: readonly ScriptLines[]): string {
    return `${parts.flat().join("\n")}\n`;
}
