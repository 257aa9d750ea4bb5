import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "../../components/kubernetes/object";
import { parseManifests } from "../../components/parseManifest";

const root = join(__dirname, "..", "..");

/** A manifest for tests, as read from its file. */
export interface ManifestCase {
    readonly name: string;
    readonly manifest: object;
    /** What tidb-operator made of it, if known: its objects, or the paths that it rejects. */
    readonly objects?: KubernetesObject[];
    readonly invalid?: string[];
}

/** The folder of the golden files. It is not part of this repository but may exist next to it. */
const goldenFolder = join(root, "..", "shared", "reference", "golden");

/** What the names of tests say about the golden files. */
export const goldenNote = existsSync(goldenFolder)
    ? "and of the golden clusters"
    : "(WITHOUT the golden clusters: ../shared is not there)";

/** The manifests of tidb-operator's examples and the objects it made of them. Empty if ../shared does not exist. */
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

/** Our own manifests in `tests/fixtures/clusters` and `examples`. */
export function ownCases(): ManifestCase[] {
    const fixtures = yamlFiles(join(root, "tests", "fixtures", "clusters"));
    const examples = readdirSync(join(root, "examples")).flatMap((name) => yamlFiles(join(root, "examples", name)));
    return [...fixtures, ...examples].map((file) => ({
        name: file.slice(root.length + 1),
        manifest: parseManifests(readFileSync(file, "utf8"), file).clusters[0],
    }));
}

/** The YAML files in a folder that contain a manifest. */
function yamlFiles(folder: string): string[] {
    return readdirSync(folder)
        .filter((name) => /\.ya?ml$/.test(name))
        .map((name) => join(folder, name))
        .filter((file) => /^kind: TidbCluster$/m.test(readFileSync(file, "utf8")));
}
