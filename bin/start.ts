import { libraryManifest, packageVersion } from "./packageVersion";
import { versionProblem } from "./versionProblem";

/** Starts the built command. @param load loads the rest of it, which works only with the same version of pulumi-tidb. */
export function start(load: () => { run(): Promise<void> }): void {
    const problem = versionProblem(packageVersion(), libraryManifest()?.version);
    if (problem === undefined) {
        void load().run();
        return;
    }
    process.stderr.write(`error: ${problem}\n`);
    process.exitCode = 1;
}
