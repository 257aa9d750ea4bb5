import { decode, encode } from "@jridgewell/sourcemap-codec";

interface SourceMap {
    readonly version: number;
    readonly sources: string[];
    readonly mappings: string;
}

const outside = "../";

/**
 * Returns a source map with only what a stack trace needs, and no names: one mapping for each line of the source that begins a
 * block or a function, or that throws or awaits. A trace then names the file, and the line of a thrown error or of an awaited call;
 * for any other expression, the beginning of the block that it is in.
 * @param code the text that the map is of.
 */
export function traceMappings(text: string, code: string): string {
    const { version, sources, mappings } = JSON.parse(text) as SourceMap;
    const codeLines = code.split("\n");
    const lines = decode(mappings).map((segments, lineIndex) => {
        const line = codeLines[lineIndex] ?? "";
        const mapped = segments.filter((segment) => segment.length > 1);
        const perLine = mapped.filter(([, source, sourceLine], index) => {
            const before = mapped[index - 1];
            return before?.[1] !== source || before[2] !== sourceLine;
        });
        return perLine
            .filter(([column, source], index) => {
                const run = line.slice(column, perLine[index + 1]?.[0]);
                const beginsBlock = /(\{|=>)$/.test(line.slice(0, column)) && mayFail(run);
                return perLine[index - 1]?.[1] !== source || beginsBlock || /throw|await|yield/.test(withoutTexts(run));
            })
            .map((segment) => segment.slice(0, 4) as typeof segment);
    });
    // Every source is outside the folder of the map. Said once, that takes less room.
    const isOutside = sources.every((source) => source.startsWith(outside));
    const shared = isOutside ? { sourceRoot: outside } : {};
    const named = isOutside ? sources.map((source) => source.slice(outside.length)) : sources;
    return JSON.stringify({ version, ...shared, sources: named, names: [], mappings: encode(lines) });
}

/** Whether code calls, reads a property, or throws. */
function mayFail(code: string): boolean {
    return /[.([`]|throw|await|yield/.test(withoutTexts(code));
}

/** Text in quotes does not fail. */
function withoutTexts(code: string): string {
    return code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "");
}
