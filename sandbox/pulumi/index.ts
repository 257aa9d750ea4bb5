export { binaryVariable, engineVariable, findPulumi } from "./findPulumi";
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
