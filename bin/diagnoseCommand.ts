import { type Command, Option } from "commander";
import type { ClusterDiagnosis, DiagnosisDocument } from "../status/diagnosis/clusterDiagnosis";
import type { StatusSources } from "../status/statusSources";
import { clusterFailure } from "./clusterFailure";
import { accessOf, addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";
import { type CommandResult, finish, refused } from "./manifestFile";
import { addPdAddressOption, addPdClusterOption } from "./pdAddress";

type DiagnosisFormat = "text" | "json" | "yaml";

/** The options of `diagnose`. */
export interface DiagnoseOptions extends ClusterOptions {
    readonly namespace: string;
    readonly output: DiagnosisFormat;
    readonly guaranteed?: boolean;
    readonly pdAddress?: string;
    readonly pdCluster?: string;
}

/** Adds `diagnose CLUSTER`: says what is wrong with a cluster, why, and what to do. */
export function addDiagnoseCommand(program: Command): void {
    const name = program.name();
    const command = program
        .command("diagnose")
        .description("say why pods of a cluster are not right, and what to do about it")
        .argument("<cluster>", "name of the cluster")
        .option("-n, --namespace <namespace>", "namespace of the cluster", "default")
        .addOption(
            new Option("-o, --output <format>", "text; json or yaml: for programs")
                .choices(["text", "json", "yaml"] satisfies DiagnosisFormat[])
                .default("text" satisfies DiagnosisFormat),
        )
        .option("--guaranteed", "show each member whose pods do not have the quality of service class Guaranteed");
    addPdClusterOption(addPdAddressOption(addClusterOptions(command)))
        .addHelpText(
            "after",
            `
Reads the cluster and changes nothing. Needs neither the program nor the Pulumi CLI. CLUSTER is the TidbCluster's name in
Kubernetes. What may not be read is named as not known.

Exit codes:
  0  nothing is wrong, and everything is known
  1  something is wrong or not known, there is no such cluster, or the API server cannot be asked

Examples:
  ${name} diagnose basic -n tidb
  ${name} diagnose basic -n tidb --guaranteed
  ${name} diagnose basic -n tidb --output json | jq '.problems[].fix'`,
        )
        .action(async (cluster: string, options: DiagnoseOptions) => {
            await finish(await diagnose(cluster, options));
            // Port-forwards stay open for later questions and would keep the process alive: there are none.
            process.exit();
        });
}

/** Diagnoses a cluster. @param sources how it is read. Default: through the kubeconfig. */
export async function diagnose(
    cluster: string,
    options: DiagnoseOptions,
    sources?: StatusSources,
): Promise<CommandResult> {
    try {
        /* eslint-disable @typescript-eslint/no-require-imports -- Loaded here so other commands start faster. */
        const { readDiagnosis } =
            require("../status/diagnosis/readDiagnosis") as typeof import("../status/diagnosis/readDiagnosis");
        const { liveSources } = require("../status/statusSources") as typeof import("../status/statusSources");
        /* eslint-enable @typescript-eslint/no-require-imports */
        const { namespace, output, guaranteed = false, pdAddress, pdCluster } = options;
        const access = accessOf(options);
        const request = { namespace, cluster, access, pdAddress, pdCluster };
        const found = await readDiagnosis(request, guaranteed, sources ?? liveSources(await optionsKubeConfig(access)));
        return { output: writers()[output](found), errors: "", exitCode: found.isWell ? 0 : 1 };
    } catch (error) {
        return refused(`error: ${clusterFailure(error)}\n`);
    }
}

function writers(): Readonly<Record<DiagnosisFormat, (diagnosis: ClusterDiagnosis) => string>> {
    /* eslint-disable @typescript-eslint/no-require-imports -- Loaded here so other commands start faster. */
    const { statusApiVersion } = require("../status/clusterStatus") as typeof import("../status/clusterStatus");
    const { textDiagnosis } =
        require("../status/diagnosis/textDiagnosis") as typeof import("../status/diagnosis/textDiagnosis");
    const { stringify } = require("yaml") as typeof import("yaml");
    /* eslint-enable @typescript-eslint/no-require-imports */
    const document = (diagnosis: ClusterDiagnosis): DiagnosisDocument => ({
        apiVersion: statusApiVersion,
        kind: "ClusterDiagnosis",
        ...diagnosis,
    });
    return {
        text: textDiagnosis,
        json: (diagnosis) => `${JSON.stringify(document(diagnosis), null, 2)}\n`,
        yaml: (diagnosis) => stringify(document(diagnosis)),
    };
}
