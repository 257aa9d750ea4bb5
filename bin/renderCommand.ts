import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import type { KubernetesObject } from "../components/kubernetes/object";
import type { SpecProblem } from "../components/problem";

type OutputFormat = "json" | "yaml";

/** What a command prints, and how it ends. */
export interface CommandResult {
    readonly output: string;
    readonly errors: string;
    readonly exitCode: number;
}

/** Adds `render FILE`: prints the objects of a manifest, without a cluster. */
export function addRenderCommand(program: Command): void {
    program
        .command("render")
        .description("print the Kubernetes objects of a TidbCluster manifest, in the order in which they are created")
        .argument("<file>", "the manifest, YAML or JSON; - reads standard input")
        .option("-o, --output <format>", "json: one array; yaml: one document an object", outputFormat, "json")
        .addHelpText(
            "after",
            `
Needs no cluster. Warnings go to standard error. A manifest that cannot be used is refused with every error, each by
the name of its field, and exit code 1; nothing is printed then.

Examples:
  pulumi-tidb render cluster.yaml
  pulumi-tidb render cluster.yaml --output yaml | kubectl diff -f -
  kubectl get tidbcluster basic -o yaml | pulumi-tidb render -`,
        )
        .action((file: string, options: { output: OutputFormat }) => {
            const result = render(file, options.output, readInput);
            process.stdout.on("error", endQuietly);
            process.stderr.write(result.errors);
            process.stdout.write(result.output);
            process.exitCode = result.exitCode;
        });
}

/** Renders a file. All output is made before any is printed, so that it is never half of it. */
export function render(file: string, format: OutputFormat, read: (file: string) => string): CommandResult {
    const { checkManifest, ManifestError, parseManifest, renderCluster } = components();
    const source = file === "-" ? "<standard input>" : file;
    let text: string;
    try {
        text = read(file);
    } catch (error) {
        return refused(`${source}: cannot be read: ${(error as Error).message}\n`);
    }
    try {
        const { manifest, warnings } = checkManifest(parseManifest(text, source));
        return { output: written(renderCluster(manifest), format), errors: warningText(warnings), exitCode: 0 };
    } catch (error) {
        if (error instanceof ManifestError) {
            const warnings = error.problems.filter(({ severity }) => severity === "warning");
            return refused(`${warningText(warnings)}error: ${error.message}\n`);
        }
        throw error;
    }
}

/** What rendering needs, loaded when it is, so that other commands start fast. */
function components() {
    /* eslint-disable @typescript-eslint/no-require-imports */
    const manifest = require("../components/manifest") as typeof import("../components/manifest");
    const render = require("../components/render") as typeof import("../components/render");
    /* eslint-enable @typescript-eslint/no-require-imports */
    return { ...manifest, ...render };
}

function refused(errors: string): CommandResult {
    return { output: "", errors, exitCode: 1 };
}

function warningText(warnings: readonly SpecProblem[]): string {
    return warnings.map(({ message }) => `warning: ${message}\n`).join("");
}

function written(objects: readonly KubernetesObject[], format: OutputFormat): string {
    if (format === "json") {
        return `${JSON.stringify(objects, null, 2)}\n`;
    }
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { stringify } = require("yaml") as typeof import("yaml");
    // kubectl reads YAML 1.1, where text such as "yes" has to be in quotes; and objects that are the same are written out.
    const options = { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 } as const;
    return objects.map((object) => `---\n${stringify(object, options)}`).join("");
}

function readInput(file: string): string {
    return readFileSync(file === "-" ? 0 : file, "utf8");
}

function outputFormat(value: string): OutputFormat {
    if (value !== "json" && value !== "yaml") {
        throw new InvalidArgumentError("Expected json or yaml.");
    }
    return value;
}

/** The reader of the output, `head` for example, may have seen enough. */
function endQuietly(error: NodeJS.ErrnoException): void {
    if (error.code !== "EPIPE") {
        throw error;
    }
}
