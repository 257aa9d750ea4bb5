import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "../../components/kubernetes/object";
import { parseManifest } from "../../components/parseManifest";

const root = join(__dirname, "..", "..");

/** A manifest to test with, as its file says it. */
export interface ManifestCase {
    readonly name: string;
    readonly manifest: object;
    /** What tidb-operator made of it, where that is known: its objects, or the paths that it refuses. */
    readonly objects?: KubernetesObject[];
    readonly invalid?: string[];
}

/** Where the golden files are: not in this repository, but beside it, where they are there at all. */
const goldenFolder = join(root, "..", "shared", "reference", "golden");

/** What a test says about them in its name. */
export const goldenWords = existsSync(goldenFolder)
    ? "and of the golden clusters"
    : "(WITHOUT the golden clusters: ../shared is not there)";

/** The manifests of tidb-operator's examples, with the objects that it made of them; none where ../shared is not there. */
export function goldenCases(): ManifestCase[] {
    const files = existsSync(goldenFolder) ? readdirSync(goldenFolder) : [];
    return files
        .filter((file) => file.endsWith(".json"))
        .sort()
        .map((file) => {
            const { tidbCluster, objects, invalid } = JSON.parse(readFileSync(join(goldenFolder, file), "utf8")) as {
                tidbCluster: object;
                objects?: KubernetesObject[];
                invalid?: string[];
            };
            return { name: file.slice(0, -".json".length), manifest: tidbCluster, objects, invalid };
        });
}

/** Our own manifests, in `tests/fixtures/clusters` and `examples`. */
export function ownCases(): ManifestCase[] {
    const fixtures = yamlFiles(join(root, "tests", "fixtures", "clusters"));
    const examples = readdirSync(join(root, "examples")).flatMap((name) => yamlFiles(join(root, "examples", name)));
    return [...fixtures, ...examples].map((file) => ({
        name: file.slice(root.length + 1),
        manifest: parseManifest(readFileSync(file, "utf8"), file),
    }));
}

/** Manifests in a folder: YAML files that say that they are one. */
function yamlFiles(folder: string): string[] {
    return readdirSync(folder)
        .filter((name) => /\.ya?ml$/.test(name))
        .map((name) => join(folder, name))
        .filter((file) => /^kind: TidbCluster$/m.test(readFileSync(file, "utf8")));
}
