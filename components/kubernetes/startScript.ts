import { memberName } from "../../topology/names";
import { discoveryPorts } from "../../topology/ports";
import { inComment, withinQuotes } from "./shellQuote";
import type { StartScriptOptions } from "./startScriptOptions";

/** Lines of a start script. */
export type ScriptLines = readonly string[];

/**
 * Returns the first lines of every start script (as in tidb-operator's scripts, pkg/manager/member/startscript). The pod's
 * annotations must be mounted. With the annotation `runmode: debug` the container idles and starts nothing, so it can be
 * debugged. The annotations are parsed, not executed, because anyone may have set their values.
 * @param peerService Headless Service in the pod's domain name. Default: the script does not need a name.
 */
export function prologue(member: string, options: StartScriptOptions, peerService?: string): ScriptLines {
    const own = peerService === undefined ? [] : ownName(options, peerService);
    return [...header(member, options), ...debugSwitch(member), ...own];
}

/**
 * Returns the first lines of a script that is part of the container's command. Only tidb-operator's v2 scripts mount the
 * pod's annotations for such containers, so only they have the debug mode.
 * @param peerService Headless Service in the pod's domain name. Default: the script does not use the name.
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
        `# Starts ${inComment(member)} of the TiDB cluster ${inComment(options.clusterName)}. Written by pulumi-tidb.`,
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
        `    echo "annotation runmode=debug: ${withinQuotes(member)} is not started; without the annotation the pod starts it again"`,
        "    while :; do",
        "        sleep 60 >/dev/null 2>&1 &",
        '        wait "$!"',
        "    done",
        "fi",
        "",
    ];
}

function ownName(options: StartScriptOptions, peerService: string): ScriptLines {
    const domain = options.clusterDomain ? withinQuotes(`.${options.clusterDomain}`) : "";
    return [
        "# shellcheck disable=SC3028 # Kubernetes sets HOSTNAME",
        "pod=${POD_NAME:-${HOSTNAME:-$(hostname)}}",
        `domain="$pod.${withinQuotes(peerService)}.$NAMESPACE.svc${domain}"`,
    ];
}

/** Defines `random_below N`, which prints a number from 0 to N - 1. */
export const randomFunction: ScriptLines = [
    "random_below() {",
    "    number=$(od -An -N2 -tu2 /dev/urandom 2>/dev/null | tr -d ' \\n')",
    "    echo $((${number:-$$} % $1))",
    "}",
];

/**
 * Defines `ask_discovery PATH`, which prints discovery's answer and fails if there is none within 3 s. It uses wget, else
 * curl. If discovery requests a certificate, it uses only curl, with the member's certificate, because the wget of small
 * images cannot present one.
 */
export function askDiscoveryFunction(options: StartScriptOptions, certificates: string): ScriptLines {
    const host = `${withinQuotes(memberName(options.clusterName, "discovery"))}.$NAMESPACE`;
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
 * Asks discovery until the answer matches `expected` (a pattern of `case`), and sets `answer`. Between two requests it sleeps
 * for a random time of 0 to 4 seconds. `request` is the text to send, as part of a word in double quotes; the script encodes it in base64.
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

/** Replaces the shell with the program and the collected arguments, so the program receives the pod's signals. */
export function execLines(program: string): ScriptLines {
    return ["", `echo "starting: ${program} $*"`, `exec ${program} "$@"`];
}

/** @returns a `set --` command with one argument per line. */
export function setArguments(words: readonly string[]): ScriptLines {
    return ["set -- \\", ...words.map((word, index) => `    ${word}${index < words.length - 1 ? " \\" : ""}`)];
}

/** @returns the script as text. */
export function scriptText(...parts: readonly ScriptLines[]): string {
    return `${parts.flat().join("\n")}\n`;
}
