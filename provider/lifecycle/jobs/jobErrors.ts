/** A line of a log that says the cause, as TiDB's programs write it (spf13/cobra; pingcap/log), and what is a line of a log at all. */
const cause = /^Error: |^\[[^\]]*\] \[(ERROR|FATAL)\] /;
const logLine = /^(\[|Error: )/;
const mostLines = 3;

/** What lines have in common that say the same error: one of them quotes it. */
function plain(line: string): string {
    return line.replace(/^Error: |\\[nt]|[\\"\s]/g, "");
}

/** @returns the lines of a log that say why its program failed, each error once; empty if none does so in a known form. */
export function causeLines(lines: readonly string[]): string[] {
    const found: string[] = [];
    lines.forEach((line, at) => {
        // An error may have a second line, such as "caused by: …".
        const next = lines.at(at + 1) ?? "";
        const whole = line.startsWith("Error: ") && !logLine.test(next) ? `${line} ${next}`.trim() : line;
        if (cause.test(line)) {
            found.push(whole);
        }
    });
    const isSaid = (line: string, at: number) =>
        found.some(
            (other, of) =>
                of !== at && plain(line).includes(plain(other)) && (of < at || !plain(other).includes(plain(line))),
        );
    return found.filter((line, at) => !isSaid(line, at)).slice(-mostLines);
}

/** What to do about errors of BR: pingcap/tidb br/pkg/errors/errors.go, br/pkg/task/backup.go, br/pkg/storage/s3.go. */
const advice: readonly (readonly [RegExp, string])[] = [
    [/backup meta file exists/, "choose another `prefix`, because this one holds a backup"],
    [/check permission.* failed due to/, "correct the bucket, or what its account may do"],
    [/s3 bucket and region are not matched/, "correct `region`"],
    [/cluster is not fresh/, "restore into an empty cluster"],
    [/checksum mismatch/, "do not rely on these data: their checksums differ"],
];

/** @returns what to do about a failure with these words. */
export function adviceFor(seen: string): string {
    return advice.find(([text]) => text.test(seen))?.[1] ?? "correct what the Job says";
}
