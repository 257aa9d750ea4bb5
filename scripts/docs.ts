import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { componentsPage } from "./reference/components";
import { referencePages } from "./reference/pages";
import { programPage } from "./reference/program";
import type { Definitions } from "./reference/schema";
import { schemaFile } from "./schema";

/** The folder of the reference. */
export const referenceFolder = join(__dirname, "..", "docs", "reference");

/** Reads the definitions that the reference describes. */
export function definitions(): Definitions {
    return (JSON.parse(readFileSync(schemaFile, "utf8")) as { definitions: Definitions }).definitions;
}

/** Generates the reference from the comments in the sources: file name to Markdown. */
export async function generateReference(): Promise<Record<string, string>> {
    const pages = {
        ...referencePages(definitions()),
        "program.md": programPage(),
        "components.md": componentsPage(),
    };
    const options = { ...(await resolveConfig(join(referenceFolder, "README.md"))), parser: "markdown" };
    const formatted = Object.entries(pages).map(async ([file, text]) => [file, await format(text, options)] as const);
    return Object.fromEntries(await Promise.all(formatted));
}

if (require.main === module) {
    void generateReference().then((pages) => {
        mkdirSync(referenceFolder, { recursive: true });
        for (const [file, text] of Object.entries(pages)) {
            writeFileSync(join(referenceFolder, file), text);
        }
    });
}
