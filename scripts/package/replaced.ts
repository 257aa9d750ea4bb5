import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import type { MappedCode } from "./minify";

/** Text that takes the place of another. */
export interface Replacement {
    readonly at: number;
    readonly length: number;
    readonly by: string;
}

/** @param replacements of texts without line breaks, none within another. @returns the code with them, and its map. */
export function replaced({ code, map }: MappedCode, replacements: readonly Replacement[]): MappedCode {
    const inOrder = [...replacements].sort((one, other) => one.at - other.at);
    const pieces: string[] = [];
    let copied = 0;
    for (const { at, length, by } of inOrder) {
        pieces.push(code.slice(copied, at), by);
        copied = at + length;
    }
    pieces.push(code.slice(copied));

    const parsed = JSON.parse(map) as { mappings: string };
    let lineStart = 0;
    let next = 0;
    const lines = decode(parsed.mappings).map((segments) => {
        let shift = 0;
        const moved = segments.map((segment) => {
            for (; next < inOrder.length && inOrder[next].at < lineStart + segment[0]; next++) {
                shift += inOrder[next].by.length - inOrder[next].length;
            }
            return [segment[0] + shift, ...segment.slice(1)] as unknown as SourceMapSegment;
        });
        lineStart = code.indexOf("\n", lineStart) + 1 || code.length;
        for (; next < inOrder.length && inOrder[next].at < lineStart; next++);
        return moved;
    });
    return { code: pieces.join(""), map: JSON.stringify({ ...parsed, mappings: encode(lines) }) };
}
