import { components, microservices, topology } from "../topology/members";
import { ports } from "../topology/ports";
import { memberImage } from "./cluster";
import type { ConfigInput } from "./componentSpec";
import { discoveryProblems } from "./discovery/rules";
import { configValue, readConfig } from "./kubernetes/toml";
import { type Member, membersOf } from "./members";
import { hasMicroservices } from "./pdms/microservices";
import { pdMicroserviceProblems } from "./pdms/rules";
import { specError, specNotice, type SpecProblem, specWarning } from "./problem";
import type { TidbClusterManifest, TidbClusterReference, TidbClusterSpec } from "./spec";
import { suspensionProblems } from "./suspension";
import {
    podMetadataProblems,
    schedulerProblems,
    spreadProblems,
    sysctlProblems,
    updateStrategyProblems,
    versionProblems,
} from "./validation/component";
import { configProblems } from "./validation/config";
import { isDnsLabel, isDomain, longestLabel } from "./validation/kubernetesNames";
import { memberCountProblems } from "./validation/memberCounts";
import { metadataProblems } from "./validation/metadata";
import { noClusterTls, noEffectProblems } from "./validation/noEffect";
import { shown } from "./validation/path";
import { testedVersionProblems, versionTagProblems } from "./validation/versionTags";

/**
 * Checks what the schema cannot express. The manifest has its defaults, and all its values have the right types. The rules
 * are those of tidb-operator (pkg/apis/pingcap/v1alpha1/validation), with the same paths, and those of Kubernetes.
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
        ...inOrderOf(spec, members).flatMap(({ problems }) => problems(spec)),
        ...imageProblems(manifest, members),
        ...versionTagProblems(manifest, members),
        ...memberCountProblems(spec),
    ];
}

/** The members in the order in which the user has them. */
function inOrderOf(spec: TidbClusterSpec, members: Member[]): Member[] {
    const place = (member: Member) =>
        Object.keys(spec).findIndex((field) => member.pathIn(spec).startsWith(`spec.${field}`));
    return [...members].sort((one, other) => place(one) - place(other));
}

function clusterProblems(spec: TidbClusterSpec): SpecProblem[] {
    return [
        ...versionProblems("spec.version", spec.version),
        ...podMetadataProblems("spec", spec),
        ...sysctlProblems("spec", spec),
        ...schedulerProblems("spec", spec),
        ...domainProblems("spec.clusterDomain", spec.clusterDomain),
        ...updateStrategyProblems("spec", spec.statefulSetUpdateStrategy),
        ...addressProblems(spec.pdAddresses),
        ...placementRuleProblems(spec),
        ...spreadProblems("spec", spec.topologySpreadConstraints),
        ...serviceTypeProblems(spec.services),
        ...(spec.enablePVReclaim === true ? [reclaimedClaims] : []),
        ...(spec.pvReclaimPolicy === "Recycle" ? [recycledVolumes] : []),
        ...suspensionProblems(spec),
        ...(spec.cluster === undefined ? [] : referenceProblems(spec.cluster)),
        ...(spec.paused === true
            ? [specNotice("spec.paused", "true", "updates do not change this cluster, except to suspend members")]
            : []),
        ...(spec.recoveryMode === true
            ? [
                  specWarning(
                      "spec.recoveryMode",
                      "true",
                      "false once BR has finished",
                      "until then TiDB and TiCDC are not deployed, and TiKV and TiFlash wait for their claims",
                  ),
              ]
            : []),
        ...noEffects(spec),
    ];
}

/** Checks a domain that follows host names. tidb-operator takes any, and puts it into the start scripts as it is. */
function domainProblems(field: string, domain: string | undefined): SpecProblem[] {
    return !domain || isDomain(domain)
        ? []
        : [specError(field, shown(domain), "a DNS name in lower case, such as cluster.local")];
}

function referenceProblems({ name, namespace, clusterDomain }: TidbClusterReference): SpecProblem[] {
    const label = `a DNS label of at most ${longestLabel} characters`;
    return [
        ...(name ? [] : [specError("spec.cluster.name", "nothing", "the name of the cluster to join")]),
        ...(!name || isDnsLabel(name) ? [] : [specError("spec.cluster.name", shown(name), label)]),
        ...(!namespace || isDnsLabel(namespace) ? [] : [specError("spec.cluster.namespace", shown(namespace), label)]),
        ...domainProblems("spec.cluster.clusterDomain", clusterDomain),
    ];
}

/** Any type other than NodePort and LoadBalancer counts as ClusterIP (tidb-operator pkg/controller/controller_utils.go). */
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

/** With it, tidb-operator deletes the data of pods that a scale-in removed, without a question (pkg/manager/member/pvc_cleaner.go). */
const reclaimedClaims = specError(
    "spec.enablePVReclaim",
    "true",
    "false",
    "claims of removed pods keep their data until a scale-out needs their names. To delete them earlier: `kubectl delete pvc`",
);

/** Kubernetes takes it of a volume that exists, whatever its driver can do (pkg/apis/storage/validation; pkg/volume, FindRecyclablePluginBySpec). */
const recycledVolumes = specError(
    "spec.pvReclaimPolicy",
    "Recycle",
    "Retain or Delete",
    "Kubernetes has deprecated it, refuses it in a StorageClass, and can do it with nfs and hostPath alone: any other volume ends as Failed",
);

/** tidb-operator enables placement rules in PD. This package does not change PD's configuration on its own, so it warns. */
function placementRuleProblems({ pd, tiflash }: TidbClusterSpec): SpecProblem[] {
    const key = "replication.enable-placement-rules";
    const noTiflashData = "without placement rules TiFlash gets no data";
    const isOff = tiflash !== undefined && isReadable(pd?.config) && configValue(readConfig(pd?.config), key) === false;
    return isOff ? [specWarning(`spec.pd.config.${key}`, "false", "true", noTiflashData, noTiflashData)] : [];
}

function isReadable(config: ConfigInput | undefined): boolean {
    return configProblems("", config).length === 0;
}

function noEffects(spec: TidbClusterSpec): SpecProblem[] {
    const usesV2Script = spec.startScriptVersion === "v2" || hasMicroservices(spec);
    const flags = usesV2Script ? undefined : spec.startScriptV2FeatureFlags;
    const featureFlags = spec.startScriptV2FeatureFlags ?? [];
    const lookedUp: string[] = ["pd", ...(hasMicroservices(spec) ? microservices : [])];
    const others = spec.services?.filter(({ name }) => !lookedUp.includes(name ?? "")).map(({ name }) => name) ?? [];
    return noEffectProblems("spec", [
        {
            field: "tlsCluster.enableDiscoveryMTLS",
            value: spec.tlsCluster?.enabled !== true && spec.tlsCluster?.enableDiscoveryMTLS,
            why: noClusterTls,
        },
        {
            field: "pdAddresses",
            value:
                spec.pd === undefined &&
                !(usesV2Script && featureFlags.includes("PreferPDAddressesOverDiscovery")) &&
                spec.pdAddresses,
            why: "a cluster without its own PD uses them only with startScriptVersion: v2 and the flag PreferPDAddressesOverDiscovery",
        },
        { field: "startScriptV2FeatureFlags", value: flags, why: "it needs startScriptVersion: v2" },
        { field: "services", value: others, why: "only the entry for pd is used; set tidb.service for TiDB" },
    ]);
}

function memberListProblems(spec: TidbClusterSpec, members: readonly string[]): SpecProblem[] {
    if (members.length === 0) {
        // PD's microservices cannot run without PD.
        const standalone = components.filter((component) => topology[component].partOf === undefined);
        return [specError("spec", "no member", `at least one of ${standalone.join(", ")}`)];
    }
    const hasPd = spec.pd !== undefined || spec.cluster !== undefined || (spec.pdAddresses ?? []).length > 0;
    return hasPd
        ? []
        : [
              specWarning(
                  "spec.pd",
                  "nothing",
                  "PD, or a cluster to join in spec.cluster",
                  "without PD the other members wait forever",
                  "without PD the other members wait forever",
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
        ...untagged.map(({ image }) => {
            const newest = `${image} has no tag, so the newest image is used`;
            return specWarning("spec.version", "nothing", version, newest, newest);
        }),
        ...testedVersionProblems(spec.version),
    ];
}
