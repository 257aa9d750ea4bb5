import { execFileSync } from "node:child_process";
import * as path from "node:path";
import { providePrograms } from "pulumi-tidb-sandbox";
import { archiveModules } from "./moduleArchive";

/**
 * Builds the packages if their sources are newer, because programs and the engine run what was built. Then gets the
 * control plane's programs before the first test: on a fresh machine they are built, which takes minutes, longer than the
 * timeout of a test's hook.
 */
export async function mochaGlobalSetup(): Promise<void> {
    const setup = path.resolve(__dirname, "../../../scripts/setup.mjs");
    execFileSync(process.execPath, [setup, "--build"], { stdio: "inherit" });
    archiveModules();
    await providePrograms({ log: (line) => console.log(line) });
}
