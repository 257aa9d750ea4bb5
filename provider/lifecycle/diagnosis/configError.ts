/** The text with which a server refuses its configuration, by server. */
const patterns: readonly RegExp[] = [
    // TiKV (cmd/tikv-server/src/main.rs, components/server/src/setup.rs).
    /unknown configuration options: \S/,
    /invalid (auto generated )?configuration( file)?\b/,
    // TiDB (pkg/config/config.go); TiDB and PD read TOML.
    /contained invalid configuration options: \S/,
    /\btoml: (line \d|cannot|incompatible|expected|invalid)/i,
    // PD (server/config, cmd/pd-server).
    /parse cmd flags error/,
    /Config contains undefined item: \S/,
    /config check failed/i,
];

/** Servers write such lines about the same options as a warning, too, and go on. */
const isNoError = /\[(WARN|INFO|DEBUG)\]|level=(warn|info|debug)/i;
/** A server that refuses its configuration says so at the end. */
const lastLines = 5;

const time = /^(\[?\d{4}[/-]\d\d[/-]\d\d[T ][\d:.,]+(Z| ?[+-]\d\d:?\d\d)?\]? ?)+/;

/** @returns the line with which a container refuses its configuration, without its time; `undefined` if it does not say so. */
export function configError(log: readonly string[]): string | undefined {
    let error: string | undefined;
    for (const line of log.filter((one) => one.trim() !== "").slice(-lastLines)) {
        if (isNoError.test(line)) {
            error = undefined;
        } else if (patterns.some((pattern) => pattern.test(line))) {
            error = line;
        }
    }
    return error?.replace(time, "").replace(/ ?\[(backtrace|stack|thread_id|thread_name)=.*$/, "");
}
