import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Compares what `render` prints with what tidb-operator rendered, for the golden cases that this version supports.
 *
 * usage: parity.ts [FOLDER]    FOLDER holds tools/parity.py and reference/golden; default: ../shared
 */

interface GoldenCase {
    tidbCluster: { spec: Record<string, unknown> };
}

/** Members and switches whose golden cases are compared when they are built. */
const notYet = ["pump", "ticdc", "tiproxy", "pdms"];

function main(folder: string): number {
    const golden = join(folder, "reference", "golden");
    const cases = readdirSync(golden)
        .filter((file) => file.endsWith(".json"))
        .map((file) => ({ file, content: JSON.parse(readFileSync(join(golden, file), "utf8")) as GoldenCase }));
    const inScope = cases.filter(({ content }) => isInScope(content));
    const selected = mkdtempSync(join(tmpdir(), "pulumi-tidb-parity-"));
    try {
        for (const { file, content } of inScope) {
            writeFileSync(join(selected, file), JSON.stringify(content));
        }
        process.stdout.write(`${inScope.length} of ${cases.length} golden cases are in scope: PD, TiKV and TiDB\n`);
        const program = join(__dirname, "..", "dist", "bin", "pulumi-tidb.js");
        const tool = join(folder, "tools", "parity.py");
        const run = spawnSync("python3", [tool, "--golden", selected, "--", process.execPath, program, "render"], {
            stdio: "inherit",
        });
        if (run.error !== undefined) {
            process.stderr.write(`python3 cannot be run: ${run.error.message}\n`);
        }
        return run.status ?? 1;
    } finally {
        rmSync(selected, { recursive: true });
    }
}

function isInScope({ tidbCluster: { spec } }: GoldenCase): boolean {
    return notYet.every((member) => spec[member] === undefined);
}

process.exitCode = main(resolve(process.argv[2] ?? "../shared"));
