import { readFileSync } from "node:fs";
import * as path from "node:path";
import type { PulumiDriver } from "pulumi-tidb-sandbox/pulumi";

/** Who makes keys and certificates for programs that use `@pulumi/tls`. */
export interface TlsPlugin {
    /** For runs: where the stand-in is, and nothing where the provider itself is at hand. */
    pluginFolders: string[];
    /** Which of the two, and why: for the name of a test. */
    words: string;
}

/** @returns the provider of `@pulumi/tls` where it can be had, and else the stand-in for it. */
export async function findTlsPlugin(driver: PulumiDriver): Promise<TlsPlugin> {
    const manifest = readFileSync(require.resolve("@pulumi/tls/package.json"), "utf8");
    const missing = await driver.providePlugin("tls", (JSON.parse(manifest) as { version: string }).version);
    return missing === undefined
        ? { pluginFolders: [], words: "certificates by Pulumi's TLS provider itself" }
        : {
              pluginFolders: [path.join(__dirname, "bin")],
              words: `certificates by the stand-in for Pulumi's TLS provider, because ${missing}`,
          };
}
