import { readFileSync } from "node:fs";
import { columns, type Figures, rowOf } from "./figures";

/** Prints the figures of files, as `npm run test:real` writes them, as one Markdown page. */
function main(files: readonly string[]): void {
    for (const file of files) {
        const suites = JSON.parse(readFileSync(file, "utf8")) as Record<
            string,
            { version: string; operations: Figures[] }
        >;
        for (const [title, { version, operations }] of Object.entries(suites)) {
            console.log(`## ${version}: ${title}\n`);
            console.log(markdownTable([columns, ...operations.map(rowOf)]));
        }
    }
}

function markdownTable([head, ...rows]: readonly string[][]): string {
    const line = (cells: readonly string[]): string =>
        `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
    return [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");
}

main(process.argv.slice(2));
