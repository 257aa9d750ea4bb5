import { readConfig, type TomlTable, type TomlValue, configValue } from "../kubernetes/toml";
import { specError, type SpecProblem, specWarning } from "../problem";
import { componentProblems, scalePolicyProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { dottedKeyProblems } from "../validation/dottedKeys";
import { noEffectProblems, storeNoEffects } from "../validation/noEffect";
import { shown } from "../validation/path";
import { noSizeProblems, resourceProblems } from "../validation/resources";
import { volumeSizeProblems } from "../validation/volumeSize";
import { logDefaults, logFile } from "./logs";
import type { StorageClaim, TiflashSpec } from "./spec";
import { dataVolumes } from "./volumes";

const field = "spec.tiflash";
const configField = `${field}.config.config`;

/** Tables in which this package sets values. */
const configTables = [
    "flash",
    "flash.flash_cluster",
    "flash.proxy",
    "logger",
    "raft",
    "security",
    "status",
    "storage",
    "storage.main",
    "storage.raft",
    "application",
    "quotas",
    "users",
    "profiles",
];

/** Checks TiFlash against the rules of tidb-operator, Kubernetes and TiFlash. */
export function tiflashProblems(spec: TiflashSpec): SpecProblem[] {
    const config = configProblems(configField, spec.config?.config, configTables);
    return [
        ...componentProblems(field, spec),
        ...claimListProblems(spec.storageClaims ?? []),
        ...scalePolicyProblems(field, spec.scalePolicy),
        ...resourceProblems(`${field}.initializer`, spec.initializer ?? {}),
        ...resourceProblems(`${field}.logTailer`, spec.logTailer ?? {}),
        ...config,
        ...configProblems(`${field}.config.proxy`, spec.config?.proxy, ["server", "security"]),
        ...dottedKeyProblems(configField, spec.config?.config),
        ...dottedKeyProblems(`${field}.config.proxy`, spec.config?.proxy),
        ...(config.length > 0 ? [] : valueProblems(spec)),
        ...noEffects(spec),
    ];
}

const exampleClaims = "[{ resources: { requests: { storage: 100Gi } } }]";

function claimListProblems(claims: readonly StorageClaim[] = []): SpecProblem[] {
    const at = `${field}.storageClaims`;
    return claims.length === 0
        ? [
              specError(
                  at,
                  "nothing",
                  `at least one data volume, such as ${exampleClaims}`,
                  undefined,
                  `${field}.spec.StorageClaims`,
              ),
          ]
        : claims.flatMap((claim, index) => claimProblems(`${at}[${index}].resources`, claim));
}

function claimProblems(at: string, { resources = {} }: StorageClaim): SpecProblem[] {
    const size = resources.requests?.storage;
    const operatorField = `${field}.spec.StorageClaims.Resources.Requests`;
    return [
        ...resourceProblems(at, resources),
        ...(size === undefined
            ? noSizeProblems(`${at}.requests`, "a size such as 100Gi", operatorField)
            : volumeSizeProblems(`${at}.requests.storage`, size)),
    ];
}

function valueProblems(spec: TiflashSpec): SpecProblem[] {
    const given = readConfig(spec.config?.config);
    const isMap = typeof spec.config?.config === "object";
    return [
        ...overlapProblems(configValue(given, "flash.overlap_threshold"), isMap),
        ...[...Object.keys(logDefaults), "flash.proxy.log-file"].flatMap((key) => logPathProblems(key, given, spec)),
    ];
}

/** In a map, `1` may stand for a fraction. In TOML it is a whole number, which TiFlash does not accept. */
function overlapProblems(value: TomlValue | undefined, isMap: boolean): SpecProblem[] {
    const isFraction = typeof value === "number" || (isMap && typeof value === "bigint");
    return value === undefined || (isFraction && Number(value) >= 0 && Number(value) <= 1)
        ? []
        : [specError(`${configField}.flash.overlap_threshold`, shown(value), "a fraction from 0.0 to 1.0")];
}

function logPathProblems(key: string, given: TomlTable, spec: TiflashSpec): SpecProblem[] {
    const path = configValue(given, key);
    const at = `${configField}.${key}`;
    if (path === undefined) {
        return [];
    }
    if (typeof path !== "string" || path.split("/").length < 3) {
        return [specError(at, shown(path), "the path of a file in a folder, such as /data0/logs/server.log")];
    }
    if (!isTailed(key)) {
        return [];
    }
    const { volume } = logFile(given, key);
    const volumes = [
        ...dataVolumes(spec).map(({ claim }) => claim.metadata.name as string),
        ...(spec.additionalVolumes ?? []).map(({ name }) => name),
    ];
    return volumes.includes(volume) && path.startsWith("/")
        ? []
        : [
              specWarning(
                  at,
                  shown(path),
                  `a path whose first folder is the name of a volume: ${volumes.map((name) => `/${name}`).join(", ")}`,
                  "the log's sidecar mounts the volume with that name, and Kubernetes refuses a pod without that volume",
                  `Kubernetes refuses pods of TiFlash, which have no volume ${volume}`,
              ),
          ];
}

function isTailed(key: string): key is keyof typeof logDefaults {
    return Object.hasOwn(logDefaults, key);
}

function noEffects(spec: TiflashSpec): SpecProblem[] {
    return noEffectProblems(field, [
        ...storeNoEffects(spec),
        ...(spec.storageClaims ?? []).map(({ resources }, index) => ({
            field: `storageClaims[${index}].resources.claims`,
            value: resources?.claims,
            why: "Kubernetes has no such field of a claim any more",
        })),
        {
            field: "requests.storage",
            value: spec.requests?.storage,
            why: "storageClaims sets the sizes of TiFlash's volumes",
        },
        {
            field: "readinessProbe",
            value: spec.readinessProbe && "a probe",
            why: "TiFlash has no probe, as in tidb-operator",
        },
    ]);
}
