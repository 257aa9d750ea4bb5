import { inWords, type Setting, type Settings } from "../vocabulary/settings";

/** Units of durations in seconds, as TiKV and PD write them (tikv components/tikv_util/src/config.rs; Go's time.Duration). */
const seconds: Readonly<Record<string, number>> = {
    d: 86_400,
    h: 3_600,
    m: 60,
    s: 1,
    ms: 1e-3,
    us: 1e-6,
    µs: 1e-6,
    ns: 1e-9,
};
/** Units of sizes, as powers of 1,024: TiKV and PD read `KB` as `KiB` (tikv components/tikv_util/src/config.rs). */
const sizes = ["B", "K", "M", "G", "T", "P"];
/** Another name of the same level (tikv components/tikv_util/src/logger). */
const otherNames: Readonly<Record<string, string>> = { warning: "warn" };

const durationPart = /(\d+(?:\.\d+)?)(d|h|ms|us|µs|ns|m|s)/g;
const duration = /^(?:\d+(?:\.\d+)?(?:d|h|ms|us|µs|ns|m|s))+$/;
const size = /^(\d+(?:\.\d+)?)\s*(?:(B)|([KMGTP])(?:i?B)?)$/;

/** @returns whether two values mean the same. A server returns `1GiB` for `"1GB"`, `30m0s` for `"30m"`, and `"true"` for `true`. */
export function sameSetting(one: Setting | undefined, other: Setting | undefined): boolean {
    return one === undefined || other === undefined ? one === other : meaning(one) === meaning(other);
}

/** @returns what a server reports of the settings that it lacks, in words; undefined if it has all of them. */
export function lacksSettings(wanted: Settings, live: Settings): string | undefined {
    const lacking = Object.keys(wanted).filter((key) => !sameSetting(wanted[key], live[key]));
    return lacking.length === 0
        ? undefined
        : inWords(Object.fromEntries(lacking.map((key) => [key, live[key] ?? "nothing"])));
}

function meaning(value: Setting): string {
    const text = String(value).trim();
    if (/^[+-]?\d+(\.\d+)?$/.test(text)) {
        return String(Number(text));
    }
    if (duration.test(text)) {
        const sum = [...text.matchAll(durationPart)].reduce(
            (all, [, count, unit]) => all + Number(count) * seconds[unit],
            0,
        );
        return `${sum.toFixed(9)} s`;
    }
    const [, count, bytes, power] = size.exec(text) ?? [];
    if (count !== undefined) {
        return String(Number(count) * 1024 ** sizes.indexOf(bytes ?? power));
    }
    return otherNames[text] ?? text;
}
