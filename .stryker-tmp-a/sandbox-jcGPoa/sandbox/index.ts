export { startSandbox, type Sandbox, type SandboxOptions } from "./sandbox";
export { endSandbox, startDetachedSandbox, type DetachedOptions } from "./detachedSandbox";
export { missingImageTag, startControlPlane, storageClassName } from "./controlPlane";
export type { ControlPlane, ControlPlaneOptions, PodTimings } from "./controlPlane";
export { cacheFolder, cacheVariable, sandboxesFolder } from "./controlPlane/folders";
export { providePrograms, type ProgramFiles } from "./controlPlane/programs/provide";
export { listSandboxes, type SandboxState } from "./controlPlane/registry";
export * from "./dataPlane";
