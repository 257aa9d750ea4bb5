import { decode, encode } from "@jridgewell/sourcemap-codec";

interface SourceMap {
    readonly version: number;
    readonly sources: string[];
    readonly mappings: string;
}

/**
 * Returns a source map with only what a stack trace needs: one mapping for each run of text from one line of the source, and
 * no names. A trace then names the file and the line, and the first column of the statement. Text that cannot fail, such as a
 * list of words or a closing brace, has no mapping of its own, unless it begins another file.
 * @param code the text that the map is of.
 */
export function oneMappingPerLine(text: string, code: string): string {
    const { version, sources, mappings } = JSON.parse(text) as SourceMap;
    const codeLines = code.split("\n");
    const lines = decode(mappings).map((segments, lineIndex) => {
        const mapped = segments.filter((segment) => segment.length > 1);
        const perLine = mapped.filter(([, source, line], index) => {
            const before = mapped[index - 1];
            return before?.[1] !== source || before[2] !== line;
        });
        return perLine
            .filter(([column, source], index) => {
                const run = (codeLines[lineIndex] ?? "").slice(column, perLine[index + 1]?.[0]);
                return perLine[index - 1]?.[1] !== source || mayFail(run);
            })
            .map((segment) => segment.slice(0, 4) as typeof segment);
    });
    return JSON.stringify({ version, sources, names: [], mappings: encode(lines) });
}

/** Whether code calls, reads a property, or throws. Text in quotes does not. */
function mayFail(code: string): boolean {
    return /[.([`]|throw|await|yield/.test(code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, ""));
}
