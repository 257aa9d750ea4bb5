const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** A size in PD's format: four significant digits and a binary unit, such as `967.8GiB`. */
export function formatBytes(bytes: number): string {
    const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
    return `${Number((bytes / 1024 ** power).toPrecision(4))}${units[power]}`;
}

/** A duration in Go's format, such as `1h0m3.5s`. */
export function formatDuration(milliseconds: number): string {
    const seconds = milliseconds / 1000;
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor(seconds / 60) % 60;
    const rest = `${Number((seconds % 60).toFixed(3))}s`;
    return hours > 0 ? `${hours}h${minutes}m${rest}` : minutes > 0 ? `${minutes}m${rest}` : rest;
}

/** Converts milliseconds since the Unix epoch to PD's nanoseconds. */
export function nanoseconds(milliseconds: number): bigint {
    return BigInt(Math.round(milliseconds * 1000)) * 1000n;
}
