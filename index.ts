export { TidbCluster } from "./components/tidbCluster";
export type { TidbClusterArgs, YamlClusterArgs } from "./components/tidbClusterArgs";
export { LifecycleController } from "./components/lifecycleController";
export type { LifecycleControllerArgs } from "./components/controller/args";
export type { ControllerActionKind } from "./topology/controllerPermissions";
export { MemberResource } from "./components/memberResource";
export { Backup } from "./components/backup/backup";
export { BackupSchedule } from "./components/backup/backupSchedule";
export type {
    BackupScheduleArgs,
    BackupScheduleSpecArgs,
    YamlBackupScheduleArgs,
} from "./components/backup/scheduleArgs";
export { CompactBackup } from "./components/backup/compactBackup";
export { Restore } from "./components/backup/restore";
export type {
    BackupArgs,
    BackupSpecArgs,
    BrMetadataArgs,
    CompactBackupArgs,
    CompactBackupSpecArgs,
    ExistingClusterArgs,
    RestoreArgs,
    RestoreSafetyArgs,
    RestoreSpecArgs,
} from "./components/backup/args";
export type { YamlBackupArgs, YamlCompactBackupArgs, YamlRestoreArgs } from "./components/backup/brFromYaml";
export { LocalVolumes } from "./components/localVolumes/localVolumes";
export type { LocalVolumeClass, LocalVolumesArgs } from "./components/localVolumes/spec";
export { TidbInitializer } from "./components/initializer/tidbInitializer";
export type { InitializerSpecArgs, TidbInitializerArgs, YamlInitializerArgs } from "./components/initializer/args";
export type { InitializedClusterRef, InitializerSpec } from "./components/initializer/spec";
export type { JobRunArgs } from "./components/jobRunArgs";
export type { AccessArgs } from "./components/access";
export type { OperationsArgs, TimeoutsArgs } from "./components/operations";
export { requiredCertificates, type RequiredCertificate } from "./components/certificates";
export type { Condition, ReadyReason } from "./topology/readyCondition";
export { ManifestError, type SpecProblem } from "./components/problem";
export type { TidbClusterManifest, TidbClusterSpec } from "./components/plainManifest";
export type * from "./components/specArgs";
export { renderCluster } from "./components/render";
