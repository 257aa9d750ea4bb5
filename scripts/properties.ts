import { build } from "esbuild";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs many stories of the random models and many random manifests, in two processes with different seeds.
 *
 * usage: properties.ts [RUNS]    RUNS is the total number of stories of each model; default: 10000. Set FC_SEED to repeat the same
 * stories.
 */

const processes = 2;
const root = join(__dirname, "..");
const models = ["properties", "failover", "lostNodes", "unsafeRecovery"];

async function main(runs: number): Promise<number> {
    const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000_000);
    const each = Math.ceil(runs / processes);
    process.stdout.write(`${processes} × ${each} stories, FC_SEED=${seed}\n`);
    const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-properties-"));
    try {
        // tsx names each function anew whenever it is made, which takes a fifth of a story's time.
        await build({
            entryPoints: models.map((one) => join(root, "tests/model", `${one}.test.ts`)),
            outdir: folder,
            bundle: true,
            platform: "node",
            packages: "external",
            logLevel: "error",
        });
        const codes = await Promise.all(
            Array.from({ length: processes }, (_, index) => play(folder, each, seed + index)),
        );
        return codes.every((code) => code === 0) ? 0 : 1;
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

async function play(folder: string, runs: number, seed: number): Promise<number> {
    const played = await mocha(
        models.map((one) => join(folder, `${one}.test.js`)),
        runs,
        seed,
    );
    const options = ["--require", "tsx/cjs", "--extension", "ts"];
    const rendered = await mocha([...options, "tests/model/manifests.test.ts"], runs, seed);
    return played || rendered;
}

function mocha(args: readonly string[], runs: number, seed: number): Promise<number> {
    const program = join(root, "node_modules", "mocha", "bin", "mocha.js");
    const env = {
        ...process.env,
        FC_RUNS: String(runs),
        FC_SEED: String(seed),
        PULUMI_TIDB_FUZZ_RUNS: process.env.PULUMI_TIDB_FUZZ_RUNS ?? String(runs),
        // What is bundled is not beside its packages.
        NODE_PATH: join(root, "node_modules"),
    };
    const options = ["--no-config", "--timeout", "60000", ...args];
    const run = spawn(process.execPath, [program, ...options], { cwd: root, env, stdio: "inherit" });
    return new Promise((resolve, reject) => {
        run.on("error", reject);
        run.on("exit", (code) => resolve(code ?? 1));
    });
}

main(Number(process.argv[2] ?? 10_000)).then(
    (code) => (process.exitCode = code),
    (error: Error) => {
        process.stderr.write(`properties: ${error.message}\n`);
        process.exitCode = 1;
    },
);
