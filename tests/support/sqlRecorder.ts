import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

/** What the recorder that takes the place of TiDB has seen: see `tests/support/python/MySQLdb`. */
export interface RecordedSql {
    /** Password of each account, such as `root@%`. */
    accounts: Record<string, string>;
    statements: string[];
    logins: { host: string; port: number; usedPassword: boolean; tls: string[] }[];
    /** How many connections fail as if nobody listened. */
    down?: number;
}

/** A real Python whose module MySQLdb records statements. */
export interface SqlRecorder {
    /** The program `python`. */
    readonly python: string;
    read(): RecordedSql;
    write(database: Partial<RecordedSql>): void;
    close(): void;
}

/** @returns a recorder with a root that has no password. */
export function sqlRecorder(): SqlRecorder {
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-sql-"));
    const record = path.join(folder, "record.json");
    const python = path.join(folder, "python");
    const modules = path.resolve(__dirname, "python");
    writeFileSync(
        python,
        `#!/bin/sh\nPYTHONDONTWRITEBYTECODE=1 PYTHONPATH='${modules}' SQL_RECORD='${record}' exec python3 "$@"\n`,
    );
    chmodSync(python, 0o700);
    const empty: RecordedSql = { accounts: { "root@%": "" }, statements: [], logins: [] };
    return {
        python,
        read: () => (existsSync(record) ? (JSON.parse(readFileSync(record, "utf8")) as RecordedSql) : empty),
        write: (database) => writeFileSync(record, JSON.stringify({ ...empty, ...database })),
        close: () => rmSync(folder, { recursive: true, force: true }),
    };
}
