import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

interface SourceMap {
    readonly version: number;
    readonly sources: readonly (string | null)[];
    readonly mappings: string;
}

/** A column of the code, and the source, line and column that it is from. */
type Mapped = Exclude<SourceMapSegment, [number]>;

const outside = "../";

/** How many lines a trace may be wrong by, where nothing is thrown, made or awaited. 10 lines would take 4 kB more. */
export const nearby = 15;

/**
 * Returns a source map with only what a stack trace needs, without names and columns. A trace then names the file, and the line where
 * something is thrown, made or awaited; for any other expression, a line that is `nearby`.
 * @param text a map as esbuild makes it. What has a name with `<` or `:` there is not a file: it is left out.
 * @param code the text that the map is of.
 */
export function traceMappings(text: string, code: string): string {
    const { version, sources, mappings } = JSON.parse(text) as SourceMap;
    const files = sources.filter((source): source is string => source !== null && !/^<|:/.test(source));
    const indexes = sources.map((source) => files.indexOf(source ?? ""));
    const codeLines = code.split("\n");
    const lines = decode(mappings).map((segments, index) => {
        const ofFiles = segments.filter(isMapped).filter(([, source]) => indexes[source] !== -1);
        const needed = traceable(ofFiles, codeLines[index] ?? "");
        return needed.map(([column, source, line]): Mapped => [column, indexes[source], line, 0]);
    });
    // Every source is outside the folder of the map. Said once, that takes less room.
    const isOutside = files.every((source) => source.startsWith(outside));
    const shared = isOutside ? { sourceRoot: outside } : {};
    const named = isOutside ? files.map((source) => source.slice(outside.length)) : files;
    return JSON.stringify({ version, ...shared, sources: named, names: [], mappings: encode(lines) });
}

/**
 * Returns the map from a file to the sources of the file that it was made from.
 * @param map from the file to the one that it was made from, alone.
 * @param next from there to the sources.
 * @throws if the first map names several sources.
 */
export function followedBy(map: string, next: string): string {
    const { sources, mappings } = JSON.parse(map) as SourceMap;
    if (sources.length !== 1) {
        throw new Error(`source map: found the sources ${sources.join(", ")}, expected one`);
    }
    const further = JSON.parse(next) as SourceMap;
    const targets = decode(further.mappings);
    const lines = decode(mappings).map((segments) =>
        segments.filter(isMapped).flatMap(([column, , line, origin]): Mapped[] => {
            const target = lastAtOrBefore(targets[line] ?? [], origin);
            return target !== undefined && isMapped(target) ? [[column, target[1], target[2], target[3]]] : [];
        }),
    );
    return JSON.stringify({ ...further, names: [], mappings: encode(lines) });
}

function isMapped(segment: SourceMapSegment): segment is Mapped {
    return segment.length > 1;
}

/** @param segments in the order of their columns. */
function lastAtOrBefore(segments: readonly SourceMapSegment[], column: number): SourceMapSegment | undefined {
    let [from, to] = [0, segments.length];
    while (from < to) {
        const middle = (from + to) >> 1;
        [from, to] = segments[middle][0] <= column ? [middle + 1, to] : [from, middle];
    }
    return segments[from - 1];
}

/** The segments of a line of code that a trace needs. */
function traceable(segments: readonly Mapped[], line: string): Mapped[] {
    const kept: Mapped[] = [];
    segments.forEach((segment, index) => {
        const run = withoutTexts(line.slice(segment[0], segments[index + 1]?.[0]));
        const last = kept.at(-1);
        const distance = last?.[1] === segment[1] ? Math.abs(last[2] - segment[2]) : Infinity;
        if (mayFail(run) && distance > (isExact(run) ? 0 : nearby)) {
            kept.push(segment);
        }
    });
    return kept;
}

/** Whether code calls, reads a property, throws, or makes an object. */
function mayFail(code: string): boolean {
    return /[.([`]/.test(code) || isExact(code);
}

/** Whether code throws, waits or makes an object: an error has the line where it was made. */
function isExact(code: string): boolean {
    return /throw|await|yield|new |Error\(/.test(code);
}

/** Text in quotes does not fail. */
function withoutTexts(code: string): string {
    return code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "");
}
