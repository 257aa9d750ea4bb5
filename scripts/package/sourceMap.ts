import { decode, encode } from "@jridgewell/sourcemap-codec";

interface SourceMap {
    readonly version: number;
    readonly sources: string[];
    readonly mappings: string;
}

/**
 * Returns a source map with only what a stack trace needs: one mapping for each run of text from one line of the source, and
 * no names. A trace then names the file and the line, and the first column of the statement.
 */
export function oneMappingPerLine(text: string): string {
    const { version, sources, mappings } = JSON.parse(text) as SourceMap;
    const lines = decode(mappings).map((segments) => {
        const mapped = segments.filter((segment) => segment.length > 1);
        return mapped
            .filter(([, source, line], index) => {
                const before = mapped[index - 1];
                return before?.[1] !== source || before[2] !== line;
            })
            .map((segment) => segment.slice(0, 4) as typeof segment);
    });
    return JSON.stringify({ version, sources, names: [], mappings: encode(lines) });
}
