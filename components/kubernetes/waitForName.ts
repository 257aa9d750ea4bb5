import type { ScriptLines } from "./startScript";

/** A program that queries DNS. */
export type NameTool = "nslookup" | "dig" | "getent";

/** How a start script waits until DNS knows `$domain`, the pod's name. */
export interface WaitForNameOptions {
    /** Seconds after which the script exits with 1. It tries once per second. */
    seconds: number;
    /** Programs to try. The first one in the image is used. */
    tools: readonly NameTool[];
    /** Whether one of the addresses must be the pod's. After a restart DNS may still return the old address. */
    ownAddress: boolean;
}

/**
 * Returns the lines of the script. Some versions of nslookup exit with 0 without finding the name, so its output is parsed:
 * the addresses follow the line that repeats the name. If the image has none of the programs, the script logs that and does
 * not wait.
 */
export function waitForName(options: WaitForNameOptions): ScriptLines {
    const cases = options.tools.flatMap((tool, index) => [
        `${index === 0 ? "if" : "elif"} command -v ${tool} >/dev/null 2>&1; then`,
        `    look_up() { ${lookUp[tool]}; }`,
    ]);
    return [
        ...cases,
        "else",
        `    echo "this image has none of ${options.tools.join(", ")}: not waiting for the name $domain" >&2`,
        "    look_up() { echo unknown; }",
        "fi",
        ...(options.ownAddress ? ownAddressFunction : ['is_known() { [ -n "$1" ]; }']),
        "seconds=0",
        "while :; do",
        "    addresses=$(look_up \"$domain\" | tr '\\n' ' ')",
        '    if is_known "$addresses"; then',
        "        break",
        "    fi",
        "    seconds=$((seconds + 1))",
        `    if [ "$seconds" -ge ${options.seconds} ]; then`,
        `        echo "the name $domain is not known to DNS${options.ownAddress ? " with an address of this pod" : ""} after ${options.seconds} s" >&2`,
        "        exit 1",
        "    fi",
        `    echo "waiting for the name $domain (found: \${addresses:-nothing})"`,
        "    sleep 1",
        "done",
    ];
}

const lookUp: Record<NameTool, string> = {
    nslookup: `nslookup "$1" 2>/dev/null | sed -n '/^Name:/,$ s/^Address[^:]*: *\\([^ ]*\\).*/\\1/p'`,
    dig: 'dig +search +short "$1" A "$1" AAAA 2>/dev/null | grep -v "^;"',
    getent: `getent ahosts "$1" 2>/dev/null | sed 's/[[:space:]].*//' | sort -u`,
};

const ownAddressFunction: ScriptLines = [
    "own=$(hostname -I 2>/dev/null || hostname -i 2>/dev/null)",
    "is_known() {",
    '    [ "$1" != "unknown " ] || return 0',
    "    for address in $1; do",
    '        case " $own " in',
    '        *" $address "*) return 0 ;;',
    "        esac",
    "    done",
    "    return 1",
    "}",
];
