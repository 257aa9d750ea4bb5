import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { CheckedManifest } from "../components/checkManifest";
import { convertedProgram } from "../convert/program";
import { projectFiles } from "../convert/projectFiles";
import { type CommandResult, finish, outputOf, readInput, refused } from "./manifestFile";
import { packageManifest } from "./packageVersion";

/** Adds `convert FILE`: prints a program that deploys a manifest. */
export function addConvertCommand(program: Command): void {
    program
        .command("convert")
        .description("print a TypeScript program that deploys a TidbCluster manifest")
        .argument("<file>", "the manifest, YAML or JSON; - reads standard input")
        .option("--stack <folder>", "write a Pulumi project into this folder instead; never overwrites a file")
        .option("--only <kind/name>", "the cluster to convert if the file has several, such as TidbCluster/basic")
        .addHelpText(
            "after",
            `
Needs no cluster. Unknown fields are left out, with a warning. An invalid manifest is rejected with all of its errors,
as by render.

Examples:
  pulumi-tidb convert cluster.yaml > index.ts
  pulumi-tidb convert cluster.yaml --stack my-cluster
  kubectl get tidbcluster basic -o yaml | pulumi-tidb convert -`,
        )
        .action((file: string, { stack, only }: { stack?: string; only?: string }) => {
            finish(
                stack === undefined ? convert(file, readInput, only) : convertToProject(file, stack, readInput, only),
            );
        });
}

/** Converts a file to a program. If the file has several clusters, `only` chooses one. */
export function convert(file: string, read: (file: string) => string, only?: string): CommandResult {
    return outputOf(file, read, ([{ given }]) => convertedProgram(given), { only, single: true });
}

/** Converts a file to a project. If the file has several clusters, `only` chooses one. Writes nothing if one of the project's files exists already. */
export function convertToProject(
    file: string,
    folder: string,
    read: (file: string) => string,
    only?: string,
): CommandResult {
    let files: Record<string, string> = {};
    const make = ([{ given, manifest }]: CheckedManifest[]): string => {
        const { version, dependencies, devDependencies } = packageManifest();
        const { typescript, "ts-node": tsNode } = devDependencies;
        files = projectFiles({
            cluster: manifest.metadata.name,
            namespace: manifest.metadata.namespace ?? "default",
            program: convertedProgram(given),
            dependencies: { "@pulumi/pulumi": dependencies["@pulumi/pulumi"], "pulumi-tidb": `^${version}` },
            // Pulumi's own ts-node is too old for the compiler options of the project.
            devDependencies: { "ts-node": tsNode, typescript },
        });
        return `Created ${folder}: ${Object.keys(files).join(", ")}\nNext: cd ${folder} && npm install && pulumi stack init dev && pulumi up\n`;
    };
    const converted = outputOf(file, read, make, { only, single: true });
    if (converted.exitCode !== 0) {
        return converted;
    }
    const failure = write(folder, files);
    return failure === undefined ? converted : refused(`${converted.errors}error: ${failure}\n`);
}

/** @returns why the files could not be written; undefined on success. */
function write(folder: string, files: Record<string, string>): string | undefined {
    const existing = Object.keys(files).filter((name) => existsSync(join(folder, name)));
    if (existing.length > 0) {
        return `--stack ${folder}: the folder already contains ${existing.join(", ")}; nothing was written. Choose another folder, or move these files away.`;
    }
    try {
        mkdirSync(folder, { recursive: true });
        for (const [name, text] of Object.entries(files)) {
            writeFileSync(join(folder, name), text, { flag: "wx" });
        }
        return undefined;
    } catch (error) {
        return `--stack ${folder}: cannot be written: ${(error as Error).message}`;
    }
}
