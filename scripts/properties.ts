import { spawn } from "node:child_process";
import { join } from "node:path";

/**
 * Runs many stories of the random models and many random manifests, in two processes with different seeds.
 *
 * usage: properties.ts [RUNS]    RUNS is the total number of stories of each model; default: 10000. Set FC_SEED to repeat the same
 * stories.
 */

const processes = 2;
const root = join(__dirname, "..");

async function main(runs: number): Promise<number> {
    const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000_000);
    const each = Math.ceil(runs / processes);
    process.stdout.write(`${processes} × ${each} stories, FC_SEED=${seed}\n`);
    const codes = await Promise.all(Array.from({ length: processes }, (_, index) => play(each, seed + index)));
    return codes.every((code) => code === 0) ? 0 : 1;
}

function play(runs: number, seed: number): Promise<number> {
    const mocha = join(root, "node_modules", "mocha", "bin", "mocha.js");
    const models = ["properties", "failover", "lostNodes", "unsafeRecovery", "manifests"];
    const tests = models.map((one) => `tests/model/${one}.test.ts`);
    const manifests = process.env.PULUMI_TIDB_FUZZ_RUNS ?? String(runs);
    const env = { ...process.env, FC_RUNS: String(runs), FC_SEED: String(seed), PULUMI_TIDB_FUZZ_RUNS: manifests };
    const options = ["--no-config", "--require", "tsx/cjs", "--extension", "ts", "--timeout", "60000", ...tests];
    const run = spawn(process.execPath, [mocha, ...options], { cwd: root, env, stdio: "inherit" });
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
