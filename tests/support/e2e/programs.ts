import { providePrograms } from "pulumi-tidb-sandbox";

/**
 * Has the control plane's programs at hand before the first test. On a fresh machine they are built first, which takes
 * minutes: longer than a hook of a test may.
 */
export async function mochaGlobalSetup(): Promise<void> {
    await providePrograms({ log: (line) => console.log(line) });
}
