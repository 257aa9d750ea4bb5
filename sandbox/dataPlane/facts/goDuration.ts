const milliseconds: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Reads a duration as Go writes it, such as `30m0s` or `1.5h`, in milliseconds. Undefined for other texts and for units below `ms`. */
export function goMilliseconds(text: string): number | undefined {
    if (!/^(\d+(\.\d*)?(h|ms|m|s))+$/.test(text)) {
        return undefined;
    }
    const parts = [...text.matchAll(/([\d.]+)(h|ms|m|s)/g)];
    return parts.reduce((sum, [, count, unit]) => sum + Number(count) * milliseconds[unit], 0);
}

/** Writes a duration as Go does: `40s`, `30m0s`, `1h30m0s`, and `500ms` below a second. */
export function goDuration(duration: number): string {
    if (duration > 0 && duration < 1_000) {
        return `${duration}ms`;
    }
    const hours = Math.floor(duration / milliseconds.h);
    const minutes = Math.floor((duration % milliseconds.h) / milliseconds.m);
    const seconds = (duration % milliseconds.m) / milliseconds.s;
    return `${hours > 0 ? `${hours}h` : ""}${hours + minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}
