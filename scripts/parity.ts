import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * Compares the output of `render` with the objects that tidb-operator rendered, for all golden cases.
 * docs/differences.md lists the intended differences and their reasons.
 *
 * usage: parity.ts [FOLDER]    FOLDER contains tools/parity.py and reference/golden; default: ../shared
 */
function main(folder: string): number {
    const tool = join(folder, "tools", "parity.py");
    if (!existsSync(tool)) {
        process.stderr.write(
            `parity: found no ${tool}: pass the folder that contains tools/parity.py and reference/golden\n`,
        );
        return 1;
    }
    const golden = join(folder, "reference", "golden");
    const program = join(__dirname, "..", "cli", "pulumi-tidb.js");
    const run = spawnSync("python3", [tool, "--golden", golden, "--", process.execPath, program, "render"], {
        stdio: "inherit",
    });
    if (run.error !== undefined) {
        process.stderr.write(`parity: cannot run python3: ${run.error.message}\n`);
    }
    return run.status ?? 1;
}

process.exitCode = main(resolve(process.argv[2] ?? "../shared"));
