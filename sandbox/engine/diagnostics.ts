import { type Diagnostic } from "./events";
import { nameOf, stackType, typeOf } from "./urn";

/** Shows each message in full, by resource, as the CLI does at the end of a run without `--diff`. */
export function showDiagnostics(diagnostics: Diagnostic[], stack: string, print: (line: string) => void): void {
    if (diagnostics.length > 0) {
        print("Diagnostics:");
    }
    for (const urn of new Set(diagnostics.map((diagnostic) => diagnostic.urn))) {
        print(`  ${urn === undefined ? `${stackType} (${stack})` : `${typeOf(urn)} (${nameOf(urn)})`}:`);
        diagnostics
            .filter((diagnostic) => diagnostic.urn === urn)
            .flatMap(linesOf)
            .forEach((text) => print(`    ${text}`.trimEnd()));
        print("");
    }
}

/** The lines of a message. The first one has its severity if that is a warning or an error. */
export function linesOf({ severity, message }: Diagnostic): string[] {
    const mark = severity === "error" || severity === "warning" ? `${severity}: ` : "";
    return `${mark}${message.trimEnd()}`.split("\n");
}
