const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** @returns a number of bytes in words: `812.0 GiB`. */
export function bytesInWords(count: number): string {
    const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
    return `${(count / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
