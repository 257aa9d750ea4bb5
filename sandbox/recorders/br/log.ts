/** A log in the form that TiDB's programs write. */
export interface Log {
    info(message: string, fields?: LogFields, place?: string): void;
    warn(message: string, fields?: LogFields, place?: string): void;
    error(message: string, fields?: LogFields, place?: string): void;
}

/** The fields of a line, by name. */
export type LogFields = Readonly<Record<string, string | number>>;

/** Makes a log that passes its lines on. Lines below the level are left out. */
export function openLog(write: (line: string) => void, level: string, now: () => Date): Log {
    const line =
        (said: string, rank: number) =>
        (message: string, fields: LogFields = {}, place = "br.ts:1"): void => {
            if (rank >= (ranks[level.toLowerCase()] ?? ranks.info)) {
                const parts = [stamp(now()), said, place, quoted(message), ...fieldsOf(fields)];
                write(parts.map((part) => `[${part}]`).join(" "));
            }
        };
    return { info: line("INFO", ranks.info), warn: line("WARN", ranks.warn), error: line("ERROR", ranks.error) };
}

const ranks: Readonly<Record<string, number>> = { debug: 0, info: 1, warn: 2, error: 3, fatal: 4 };

function fieldsOf(fields: LogFields): string[] {
    return Object.entries(fields).map(([name, value]) => `${name}=${quoted(String(value))}`);
}

/** A text is in quotes if it is empty or contains what the form itself uses (pingcap/log, zap_text_encoder.go). */
function quoted(text: string): string {
    return text === "" || /[\s"=[\]\\\p{C}]/u.test(text) ? JSON.stringify(text) : text;
}

function stamp(date: Date): string {
    return `${date.toISOString().replaceAll("-", "/").replace("T", " ").replace("Z", "")} +00:00`;
}
