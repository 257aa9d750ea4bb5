import { closeSync, existsSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { CheckedManifest } from "../components/checkManifest";
import type { CheckedInitializer } from "../components/initializer/checkInitializer";
import { nextCommands, stackIn } from "../convert/nextCommands";
import { convertedProgram } from "../convert/program";
import type { CheckedWork } from "./checkedClusters";
import { projectFiles } from "../convert/projectFiles";
import { fileProblem } from "../provider/cluster/fileProblem";
import { type CommandResult, finish, outputOf, readInput, refused } from "./manifestFile";
import { makeFolder } from "./makeFolder";
import { commandProblem, packageSource, registryProblem } from "./packageSource";
import { libraryManifest, packageVersion } from "./packageVersion";
import { pulumiLogin } from "./pulumiLogin";

interface ConvertOptions {
    /** The only cluster to convert, as `TidbCluster/NAME`. */
    readonly only?: string;
    /** Tarball or folder of this package, relative to the current folder. Default: the registry. */
    readonly package?: string;
}

/** Adds `convert FILE`: prints a program that deploys a manifest. */
export function addConvertCommand(program: Command): void {
    const name = program.name();
    program
        .command("convert")
        .description(
            "print a TypeScript program that deploys a TidbCluster manifest, with the Backups, Restores, CompactBackups and BackupSchedules of its files",
        )
        .argument("<file...>", "manifests, YAML or JSON, of one cluster; - reads standard input")
        .option("--stack <folder>", "folder of a new Pulumi project, which is written instead; no file is overwritten")
        .option(
            "--package <path>",
            "with --stack: where pulumi-tidb is: folder of a built clone, or file that npm pack made (default: the registry)",
        )
        .option(
            "--only <kind/name>",
            "cluster to convert alone, such as TidbCluster/basic, without what is beside it; optional if the files have only one",
        )
        .addHelpText(
            "after",
            `
Needs no cluster. Unknown fields of TidbClusters and TidbInitializers are left out, with a warning. An invalid manifest is rejected with all of its errors, as
by render; so is an unknown field that looks like a misspelt member, such as \`tidbs\` where there is no \`tidb\`.

Examples:
  ${name} convert cluster.yaml > index.ts
  ${name} convert cluster.yaml backup-schedule.yaml --stack my-cluster
  ${name} convert cluster.yaml --stack my-cluster --package ~/pulumi-tidb   # before the package is on a registry
  kubectl get tidbcluster basic -o yaml | ${name} convert -`,
        )
        .action((files: string[], { stack, ...options }: { stack?: string } & ConvertOptions) =>
            finish(
                stack === undefined
                    ? convert(files, readInput, options)
                    : convertToProject(files, stack, readInput, options),
            ),
        );
}

/** Converts files to a program. If they have several clusters, `only` chooses one. */
export function convert(
    files: readonly string[],
    read: (file: string) => string,
    { only, package: path }: ConvertOptions = {},
): CommandResult {
    if (path !== undefined) {
        return refused(`error: --package ${path}: only a project has a package.json; add --stack <folder>\n`);
    }
    const make = ([cluster]: CheckedManifest[], initializers: CheckedInitializer[], work: CheckedWork[]) =>
        convertedProgram(cluster?.given, initializers, work);
    return outputOf(files, read, make, { only, single: true, withWork: true, converts: true });
}

/** Converts files to a project. If they have several clusters, `only` chooses one. Writes nothing if one of the project's files exists already. */
export function convertToProject(
    given: readonly string[],
    folder: string,
    read: (file: string) => string,
    { only, package: path }: ConvertOptions = {},
): CommandResult {
    const library = libraryManifest();
    const version = `^${packageVersion()}`;
    const source = path === undefined ? { dependency: version, command: version } : packageSource(path, folder);
    if (library === undefined || "problem" in source) {
        const why = "problem" in source ? source.problem : "pulumi-tidb is not installed here: npm install pulumi-tidb";
        return refused(`error: ${why}\n`);
    }
    const { peerDependencies, devDependencies } = library;
    let files: Record<string, string> = {};
    const make = ([cluster]: CheckedManifest[], initializers: CheckedInitializer[], work: CheckedWork[]): string => {
        const { metadata } = (cluster ?? initializers[0]).manifest;
        const { typescript, "ts-node": tsNode } = devDependencies;
        files = projectFiles({
            cluster: metadata.name,
            namespace: metadata.namespace ?? "default",
            stack: stackIn(folder),
            program: convertedProgram(cluster?.given, initializers, work),
            dependencies: { "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"], "pulumi-tidb": source.dependency },
            // Pulumi's own ts-node is too old for the compiler options of the project.
            devDependencies: {
                ...(source.command === undefined ? {} : { "pulumi-tidb-cli": source.command }),
                "ts-node": tsNode,
                typescript,
            },
        });
        const names = initializers.map(({ manifest }) => manifest.metadata.name);
        const next = nextCommands(folder, pulumiLogin(), names, source.command !== undefined).map(
            (command) => `  ${command}\n`,
        );
        return `Created ${folder}: ${Object.keys(files).join(", ")}\nNext:\n${next.join("")}`;
    };
    const converted = outputOf(given, read, make, { only, single: true, withWork: true, converts: true });
    if (converted.exitCode !== 0) {
        return converted;
    }
    const failure = write(folder, files);
    if (failure !== undefined) {
        return refused(`${converted.errors}error: ${failure}\n`);
    }
    const problem = path === undefined ? registryProblem(folder) : commandProblem(folder, source);
    return problem === undefined ? converted : { ...converted, errors: `${converted.errors}warning: ${problem}\n` };
}

/** @returns why the files could not be written; undefined on success. */
function write(folder: string, files: Record<string, string>): string | undefined {
    const existing = Object.keys(files).filter((name) => existsSync(join(folder, name)));
    if (existing.length > 0) {
        return `--stack ${folder}: the folder already contains ${existing.join(", ")}; nothing was written. Choose another folder, or move these files away.`;
    }
    const opened: string[] = [];
    try {
        makeFolder(resolve(folder));
        for (const [name, text] of Object.entries(files)) {
            const path = join(folder, name);
            const file = openSync(path, "wx");
            opened.push(path);
            try {
                writeFileSync(file, text);
            } finally {
                closeSync(file);
            }
        }
        return undefined;
    } catch (error) {
        opened.forEach((path) => rmSync(path, { force: true })); // Half a project would be in the way of the next try.
        return `--stack ${folder}: cannot be written: ${fileProblem(error)}`;
    }
}
