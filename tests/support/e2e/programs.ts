import { providePrograms } from "pulumi-tidb-sandbox";

/**
 * Gets the control plane's programs before the first test. On a fresh machine they are built, which takes minutes,
 * longer than the timeout of a test's hook.
 */
export async function mochaGlobalSetup(): Promise<void> {
    await providePrograms({ log: (line) => console.log(line) });
}
