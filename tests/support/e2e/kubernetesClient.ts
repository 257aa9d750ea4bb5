import { buildSync } from "esbuild";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";

const root = path.resolve(__dirname, "../../..");

/** Where `quickStart.js` finds the Kubernetes client in one file. */
const folder = path.join(root, "node_modules", ".cache", "kubernetes-client");

/**
 * Puts the Kubernetes client into one file. The gates' process of each run loads it, which from its 700 files takes a quarter of
 * what that process costs. Its version and its code are the same.
 */
export function bundleKubernetesClient(): void {
    const { outputFiles } = buildSync({
        entryPoints: [createRequire(__filename).resolve("@kubernetes/client-node")],
        bundle: true,
        write: false,
        platform: "node",
        target: "node20",
        format: "esm",
        minifyWhitespace: true,
        logLevel: "error",
        banner: {
            js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
        },
    });
    mkdirSync(folder, { recursive: true });
    // Another test run may be reading it.
    const half = path.join(folder, `${process.pid}.mjs`);
    writeFileSync(half, outputFiles[0].contents);
    renameSync(half, path.join(folder, "index.mjs"));
}
