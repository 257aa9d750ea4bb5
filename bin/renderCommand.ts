import { type Command, Option } from "commander";
import type { KubernetesObject } from "../components/kubernetes/object";
import { type CommandResult, finish, outputOf, readInput } from "./manifestFile";

type OutputFormat = "json" | "yaml";

/** Adds `render FILE`: prints the objects of a manifest, without a cluster. */
export function addRenderCommand(program: Command): void {
    program
        .command("render")
        .description("print the Kubernetes objects of a TidbCluster manifest, in the order in which they are created")
        .argument("<file>", "the manifest, YAML or JSON; - reads standard input")
        .addOption(
            new Option("-o, --output <format>", "json: one array; yaml: one document an object")
                .choices(["json", "yaml"] satisfies OutputFormat[])
                .default("json" satisfies OutputFormat),
        )
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
            finish(render(file, options.output, readInput));
        });
}

/** Renders a file. */
export function render(file: string, format: OutputFormat, read: (file: string) => string): CommandResult {
    return outputOf(file, read, (checked) => {
        // Loaded here, so that other commands start fast.
        // eslint-disable-next-line @typescript-eslint/no-require-imports
        const { clusterObjects } = require("../components/render") as typeof import("../components/render");
        return written(clusterObjects(checked), format);
    });
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
