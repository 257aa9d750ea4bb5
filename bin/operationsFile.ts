import { fileProblem } from "../provider/cluster/fileProblem";
import type { OperationsArgs } from "../components/operations";

/**
 * Reads the program's `operations` from a YAML or JSON file.
 * @throws Error that names the file, and the line or every wrong field.
 */
export function readOperations(file: string, read: (file: string) => string): OperationsArgs {
    /* eslint-disable @typescript-eslint/no-require-imports -- other commands start faster without it */
    const { yamlDocuments } = require("../components/yamlDocuments") as typeof import("../components/yamlDocuments");
    const { operationsProblems } =
        require("../components/operationsRules") as typeof import("../components/operationsRules");
    const { ManifestError } = require("../components/problem") as typeof import("../components/problem");
    /* eslint-enable @typescript-eslint/no-require-imports */
    if (file === "-") {
        throw new Error("--operations: found -, expected the path of a file: standard input is the manifest's");
    }
    let text: string;
    try {
        text = read(file);
    } catch (error) {
        throw new Error(`--operations ${file}: cannot be read: ${fileProblem(error)}`, { cause: error });
    }
    const documents = yamlDocuments(text, file);
    if (documents.length > 1) {
        throw new Error(`--operations ${file}: found ${documents.length} documents, expected one`);
    }
    const [operations = {}] = documents;
    const problems = operationsProblems(operations);
    if (problems.length > 0) {
        throw new ManifestError(problems, file);
    }
    return operations as OperationsArgs;
}
