import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Compares what `render` prints with what tidb-operator rendered, for the golden cases that this version supports.
 *
 * usage: parity.ts [FOLDER]    FOLDER holds tools/parity.py and reference/golden; default: ../shared
 */

interface GoldenObject {
    kind: string;
    metadata?: { annotations?: Record<string, string> };
}

interface GoldenCase {
    tidbCluster: { spec: Record<string, unknown> };
    objects?: GoldenObject[];
}

/** Members and switches whose golden cases are compared when they are built. */
const notYet = ["tiflash", "pump", "ticdc", "tiproxy", "pdms"];

/**
 * tidb-operator's own record of the discovery pod that it made. That pod is another one here, on purpose, so a record
 * of it would be untrue; and an operator that takes the cluster over would believe it and leave our pod alone.
 */
const operatorRecord = "pingcap.com/last-applied-podtemplate";

function main(folder: string): number {
    const golden = join(folder, "reference", "golden");
    const cases = readdirSync(golden)
        .filter((file) => file.endsWith(".json"))
        .map((file) => ({ file, content: JSON.parse(readFileSync(join(golden, file), "utf8")) as GoldenCase }));
    const inScope = cases.filter(({ content }) => isInScope(content));
    const selected = mkdtempSync(join(tmpdir(), "pulumi-tidb-parity-"));
    try {
        let records = 0;
        for (const { file, content } of inScope) {
            records += (content.objects ?? []).filter(dropRecord).length;
            writeFileSync(join(selected, file), JSON.stringify(content));
        }
        process.stdout.write(`${inScope.length} of ${cases.length} golden cases are in scope: PD, TiKV and TiDB\n`);
        process.stdout.write(`left out of ${records} discovery Deployments: the annotation ${operatorRecord}\n`);
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

/** @returns whether the object had the record. */
function dropRecord({ kind, metadata }: GoldenObject): boolean {
    const annotations = kind === "Deployment" ? metadata?.annotations : undefined;
    const had = annotations?.[operatorRecord] !== undefined;
    delete annotations?.[operatorRecord];
    return had;
}

process.exitCode = main(resolve(process.argv[2] ?? "../shared"));
