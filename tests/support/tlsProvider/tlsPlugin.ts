import { readFileSync } from "node:fs";
import * as path from "node:path";
import type { PulumiDriver } from "pulumi-tidb-sandbox/pulumi";

/** The provider of keys and certificates for programs that use `@pulumi/tls`. */
export interface TlsPlugin {
    /** The plugin folders for runs: the stand-in's folder, or none if the real provider is available. */
    pluginFolders: string[];
    /** Which of the two it is, and why, for the name of a test. */
    description: string;
}

/** @returns the provider of `@pulumi/tls` if it is available, otherwise the stand-in */
export async function findTlsPlugin(driver: PulumiDriver): Promise<TlsPlugin> {
    const manifest = readFileSync(require.resolve("@pulumi/tls/package.json"), "utf8");
    const missing = await driver.providePlugin("tls", (JSON.parse(manifest) as { version: string }).version);
    return missing === undefined
        ? { pluginFolders: [], description: "certificates by Pulumi's own TLS provider" }
        : {
              pluginFolders: [path.join(__dirname, "bin")],
              description: `certificates by the stand-in for Pulumi's TLS provider, because ${missing}`,
          };
}
