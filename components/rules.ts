import { components, microservices, topology } from "../topology/members";
import { ports } from "../topology/ports";
import { memberImage } from "./cluster";
import type { ConfigInput } from "./componentSpec";
import { discoveryProblems } from "./discovery/rules";
import { configValue, readConfig } from "./kubernetes/toml";
import { type Member, membersOf } from "./members";
import { hasMicroservices } from "./pdms/microservices";
import { pdMicroserviceProblems } from "./pdms/rules";
import { specError, type SpecProblem, specWarning } from "./problem";
import type { TidbClusterManifest, TidbClusterSpec } from "./spec";
import { suspensionProblems } from "./suspension";
import { podMetadataProblems, spreadProblems, updateStrategyProblems, versionProblems } from "./validation/component";
import { configProblems } from "./validation/config";
import { metadataProblems } from "./validation/metadata";
import { noClusterTls, noEffectProblems, noVolumeReplacement } from "./validation/noEffect";
import { shown } from "./validation/path";

/**
 * Checks what a schema cannot say. The manifest has its defaults, and values of the right types where it has values.
 * The rules are those of tidb-operator pkg/apis/pingcap/v1alpha1/validation, with the same paths, and those of Kubernetes.
 */
export function ruleProblems(manifest: TidbClusterManifest): SpecProblem[] {
    const { spec } = manifest;
    const members = membersOf(spec);
    const present = members.map(({ component }) => component);
    return [
        ...metadataProblems(manifest, present),
        ...clusterProblems(spec),
        ...memberListProblems(spec, present),
        ...pdMicroserviceProblems(spec),
        ...(spec.discovery === undefined ? [] : discoveryProblems(spec.discovery)),
        ...members.flatMap(({ problems }) => problems(spec)),
        ...imageProblems(manifest, members),
    ];
}

function clusterProblems(spec: TidbClusterSpec): SpecProblem[] {
    return [
        ...versionProblems("spec.version", spec.version),
        ...podMetadataProblems("spec", spec),
        ...updateStrategyProblems("spec", spec.statefulSetUpdateStrategy),
        ...addressProblems(spec.pdAddresses),
        ...placementRuleProblems(spec),
        ...spreadProblems("spec", spec.topologySpreadConstraints),
        ...serviceTypeProblems(spec.services),
        ...suspensionProblems(spec),
        ...(spec.cluster !== undefined && !spec.cluster.name
            ? [specError("spec.cluster.name", "nothing", "the name of the cluster to join")]
            : []),
        ...(spec.paused === true
            ? [
                  specWarning(
                      "spec.paused",
                      "true",
                      "false, or nothing",
                      "until then no update changes anything of this cluster, but for members to suspend",
                  ),
              ]
            : []),
        ...(spec.recoveryMode === true
            ? [
                  specError(
                      "spec.recoveryMode",
                      "true",
                      "false",
                      "restoring from snapshots is not supported by this version",
                  ),
              ]
            : []),
        ...noEffects(spec),
    ];
}

/** Anything but the two kinds that lead in from outside is ClusterIP (tidb-operator pkg/controller/controller_utils.go). */
function serviceTypeProblems(services: TidbClusterSpec["services"] = []): SpecProblem[] {
    return services.flatMap(({ type }, index) =>
        type === undefined || ["", "ClusterIP", "NodePort", "LoadBalancer"].includes(type)
            ? []
            : [
                  specWarning(
                      `spec.services[${index}].type`,
                      shown(type),
                      "ClusterIP, NodePort or LoadBalancer",
                      "it counts as ClusterIP",
                  ),
              ],
    );
}

/** tidb-operator switches them on in PD; here nothing changes PD's configuration behind the program. */
function placementRuleProblems({ pd, tiflash }: TidbClusterSpec): SpecProblem[] {
    const key = "replication.enable-placement-rules";
    const isOff = tiflash !== undefined && isReadable(pd?.config) && configValue(readConfig(pd?.config), key) === false;
    return isOff
        ? [specWarning(`spec.pd.config.${key}`, "false", "true", "TiFlash gets no data without placement rules")]
        : [];
}

function isReadable(config: ConfigInput | undefined): boolean {
    return configProblems("", config).length === 0;
}

function noEffects(spec: TidbClusterSpec): SpecProblem[] {
    const isSecond = spec.startScriptVersion === "v2" || hasMicroservices(spec);
    const flags = isSecond ? undefined : spec.startScriptV2FeatureFlags;
    const asked = spec.startScriptV2FeatureFlags ?? [];
    const lookedUp: string[] = ["pd", ...(hasMicroservices(spec) ? microservices : [])];
    const others = spec.services?.filter(({ name }) => !lookedUp.includes(name ?? "")).map(({ name }) => name) ?? [];
    return noEffectProblems("spec", [
        {
            field: "pvReclaimPolicy",
            value: spec.pvReclaimPolicy,
            why: "a volume's reclaim policy is that of its storage class",
        },
        { field: "enablePVReclaim", value: spec.enablePVReclaim, why: "claims are not removed by this version" },
        { field: "enablePVCReplace", value: spec.enablePVCReplace, why: noVolumeReplacement },
        {
            field: "tlsCluster.enableDiscoveryMTLS",
            value: spec.tlsCluster?.enabled !== true && spec.tlsCluster?.enableDiscoveryMTLS,
            why: noClusterTls,
        },
        {
            field: "pdAddresses",
            value:
                spec.pd === undefined &&
                !(isSecond && asked.includes("PreferPDAddressesOverDiscovery")) &&
                spec.pdAddresses,
            why: "without PD of its own a cluster uses them with the flag PreferPDAddressesOverDiscovery of the second start scripts only",
        },
        { field: "startScriptV2FeatureFlags", value: flags, why: "it needs startScriptVersion: v2" },
        { field: "services", value: others, why: "only the Service of pd is looked up here; use tidb.service" },
    ]);
}

function memberListProblems(spec: TidbClusterSpec, members: readonly string[]): SpecProblem[] {
    if (members.length === 0) {
        // The others are there only beside one of these.
        const standingAlone = components.filter((component) => topology[component].partOf === undefined);
        return [specError("spec", "no member", `at least one of ${standingAlone.join(", ")}`)];
    }
    const hasPd = spec.pd !== undefined || spec.cluster !== undefined || (spec.pdAddresses ?? []).length > 0;
    return hasPd
        ? []
        : [
              specWarning(
                  "spec.pd",
                  "nothing",
                  "PD, or a cluster to join in spec.cluster",
                  "members wait for PD for ever",
              ),
          ];
}

function addressProblems(addresses: readonly string[] = []): SpecProblem[] {
    return addresses.flatMap((address, index) =>
        /^https?:\/\/[^/\s]+/.test(address) && URL.canParse(address)
            ? []
            : [
                  specError(
                      `spec.pdAddresses[${index}]`,
                      shown(address),
                      `a URL such as http://pd.example.org:${ports.pd.client}`,
                  ),
              ],
    );
}

function imageProblems(manifest: TidbClusterManifest, members: readonly Member[]): SpecProblem[] {
    const { spec } = manifest;
    const images = members.map(({ pathIn, specOf }) => ({
        path: pathIn(spec),
        image: memberImage(manifest, specOf(spec) ?? {}),
    }));
    const without = images.filter(({ image }) => image === "").map(({ path }) => `${path}.baseImage`);
    const untagged = images.filter(({ image }) => image !== "" && !/[:@][^/]*$/.test(image));
    const version = "a version such as v8.5.3";
    return [
        ...(without.length === 0
            ? []
            : [specError("spec.version", "nothing", `${version}, or ${without.join(" and ")}`)]),
        ...untagged.map(({ image }) =>
            specWarning("spec.version", "nothing", version, `${image} is whatever is newest`),
        ),
    ];
}
