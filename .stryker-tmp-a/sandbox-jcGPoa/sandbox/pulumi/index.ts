export { BINARY_VARIABLE, ENGINE_VARIABLE, findPulumi } from "./findPulumi";
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
