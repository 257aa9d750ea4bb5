import { type Command, Option } from "commander";
import type { CheckedManifest } from "../components/checkManifest";
import type { CheckedWork } from "./checkedClusters";
import type { CheckedInitializer } from "../components/initializer/checkInitializer";
import type { KubernetesObject } from "../components/kubernetes/object";
import type { OperationsArgs } from "../components/operations";
import { type CommandResult, finish, type ManifestOptions, outputOf, readInput, refused } from "./manifestFile";
import { readOperations } from "./operationsFile";

type OutputFormat = "json" | "yaml";

/** Adds `render FILE`: prints the Kubernetes objects of a manifest. Needs no cluster. */
export function addRenderCommand(program: Command): void {
    const name = program.name();
    program
        .command("render")
        .description(
            "print the Kubernetes objects of the TidbClusters, TidbInitializers, Backups, Restores, CompactBackups and BackupSchedules in a manifest, in order of creation",
        )
        .argument("<file...>", "manifests, YAML or JSON; - reads standard input")
        .addOption(
            new Option("-o, --output <format>", "format of the objects; json: one array; yaml: one document per object")
                .choices(["json", "yaml"] satisfies OutputFormat[])
                .default("json" satisfies OutputFormat),
        )
        .option(
            "--only <kind/name>",
            "object to render, such as TidbCluster/basic or Backup/nightly (default: all of the files)",
        )
        .option(
            "--operations <file>",
            "file, YAML or JSON, with the fields of the program's `operations`: `rollout.online` decides the names of ConfigMaps",
        )
        .option("--strict", "treat warnings as errors: print no objects and exit with code 1")
        .addHelpText(
            "after",
            `
Needs no cluster. A Backup, Restore, CompactBackup or BackupSchedule needs its TidbCluster in one of the files. Warnings go to standard error; at most 20 are shown. Objects of other kinds are ignored, with a warning.
For an invalid manifest, prints no objects, lists every error with the name of its field, and exits with code 1.

Examples:
  ${name} render cluster.yaml
  ${name} render clusters.yaml --only TidbCluster/basic --strict
  ${name} render cluster.yaml backup.yaml
  kubectl get tidbcluster basic -o yaml | ${name} render - backup.yaml --only Backup/nightly
  ${name} render cluster.yaml --operations operations.yaml
  ${name} render cluster.yaml --output yaml | kubectl diff -f -
  kubectl get tidbcluster basic -o yaml | ${name} render -`,
        )
        .action((files: string[], { output, ...options }: { output: OutputFormat } & RenderOptions) =>
            finish(render(files, output, readInput, options)),
        );
}

type RenderOptions = Pick<ManifestOptions, "only" | "strict"> & { readonly operations?: string };

/** Renders the objects of files. A Backup may be in another file than its TidbCluster. */
export function render(
    files: readonly string[],
    format: OutputFormat,
    read: (file: string) => string,
    { operations: operationsFile, ...options }: RenderOptions = {},
): CommandResult {
    let operations: OperationsArgs | undefined;
    try {
        operations = operationsFile === undefined ? undefined : readOperations(operationsFile, read);
    } catch (error) {
        return refused(`error: ${(error as Error).message}\n`);
    }
    const make = (clusters: CheckedManifest[], initializers: CheckedInitializer[], work: CheckedWork[]): string => {
        // Loaded here so other commands start faster.
        // eslint-disable-next-line @typescript-eslint/no-require-imports
        const rendering = require("../components/render") as typeof import("../components/render");
        const { initializerObjects } =
            // eslint-disable-next-line @typescript-eslint/no-require-imports
            require("../components/initializer/checkInitializer") as typeof import("../components/initializer/checkInitializer");
        const objects = clusters.flatMap((one) =>
            rendering.clusterObjects(
                operations === undefined ? one : rendering.renderMembers(one.manifest, operations),
            ),
        );
        return written(
            [...objects, ...initializers.flatMap(initializerObjects), ...work.map(({ object }) => object)],
            format,
        );
    };
    return outputOf(files, read, make, { ...options, withWork: true });
}

function written(objects: readonly KubernetesObject[], format: OutputFormat): string {
    if (format === "json") {
        return `${JSON.stringify(objects, null, 2)}\n`;
    }
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { stringify } = require("yaml") as typeof import("yaml");
    // kubectl reads YAML 1.1, where text such as "yes" needs quotes. Equal objects are written in full, without
    // aliases.
    const options = { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 } as const;
    return objects.map((object) => `---\n${stringify(object, options)}`).join("");
}
