export { binaryVariable, engineVariable, findPulumi } from "./findPulumi";
export { startNode, type NodeScript, type RunProcess, type StartNode } from "../engine/nodeProcess";
export type {
    ChangeKind,
    PulumiDiagnostic,
    PulumiDriver,
    PulumiOperation,
    PulumiOptions,
    PulumiRun,
    PulumiStep,
    StartedRun,
} from "./types";
