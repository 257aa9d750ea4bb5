const unitSeconds: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 };

/**
 * @returns a Go duration (`1h30m`, `400s`), the format of durations in v1alpha1, in seconds; `undefined` for any other
 * text.
 */
export function goDurationSeconds(text: string): number | undefined {
    const parts = [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)/g)];
    const whole = parts.map((part) => part[0]).join("");
    return parts.length === 0 || whole !== text
        ? undefined
        : parts.reduce((sum, [, number, unit]) => sum + Number(number) * unitSeconds[unit], 0);
}
