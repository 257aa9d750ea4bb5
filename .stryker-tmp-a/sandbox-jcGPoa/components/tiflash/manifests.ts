import { memberImage } from "../cluster";
import { type MemberManifests, renderMember } from "../kubernetes/member";
import { namespaceOf } from "../kubernetes/metadata";
import { peerServiceName } from "../kubernetes/names";
import { podField } from "../kubernetes/podSpec";
import { storeCapacity } from "../kubernetes/resources";
import { headlessService } from "../kubernetes/services";
import { memberSettings } from "../kubernetes/settings";
import { clusterTlsVolumes } from "../kubernetes/tls";
import type { TidbClusterManifest } from "../spec";
import { pdClientScriptOptions } from "../startScriptOptions";
import { readsConfigMap } from "./annotations";
import { givenConfig, tiflashConfig } from "./config";
import { configFolder, configWriter } from "./initContainer";
import { logTailers } from "./logs";
import { tiflashPorts, tiflashProxyStatusPort } from "./ports";
import type { TiflashSpec } from "./spec";
import { tiflashInitScript, tiflashStartScript } from "./startScript";
import { dataVolumes } from "./volumes";

const member = "tiflash";

/** Renders TiFlash. The cluster has it: `spec.tiflash` is set. */
export function tiflashManifests(manifest: TidbClusterManifest): MemberManifests {
    const cluster = manifest.metadata.name;
    const spec = manifest.spec.tiflash as TiflashSpec;
    const settings = memberSettings(manifest, member, spec);
    const image = memberImage(manifest, spec);
    const headless = peerServiceName(cluster, member);
    const { config, proxy } = tiflashConfig(manifest, spec, image);
    const readsItself = readsConfigMap(spec);
    const script = {
        ...pdClientScriptOptions(manifest),
        namespace: namespaceOf(manifest),
        readsConfigMap: readsItself,
        enableDynamicConfiguration: manifest.spec.enableDynamicConfiguration,
    };
    return renderMember(manifest, {
        member,
        spec,
        settings,
        image,
        services: [headlessService(manifest, member, headless, servicePorts, {})],
        configFiles: [],
        configFolder: {
            volume: "config",
            files: { "config_templ.toml": config, "proxy_templ.toml": proxy },
            mountPath: readsItself ? configFolder : undefined,
        },
        volumes: clusterTlsVolumes(manifest, member),
        dataVolumes: dataVolumes(spec),
        metrics: {
            port: tiflashPorts.metrics,
            path: "/metrics",
            annotations: { "tiflash.proxy.prometheus.io/port": String(tiflashProxyStatusPort) },
        },
        command: ["/bin/sh", "-c", tiflashStartScript(script)],
        ports: tiflashPorts,
        environment: [
            podField("NAMESPACE", "metadata.namespace"),
            { name: "CLUSTER_NAME", value: cluster },
            { name: "HEADLESS_SERVICE_NAME", value: headless },
            { name: "CAPACITY", value: storeCapacity(spec.limits) },
            { name: "TZ", value: manifest.spec.timezone || "UTC" },
            // With the node's network the host's name is the node's, not the pod's.
            ...(settings.hostNetwork ? [podField("POD_NAME", "metadata.name")] : []),
        ],
        containerFields: { securityContext: spec.securityContext ?? { privileged: spec.privileged ?? false } },
        sidecars: [],
        laterSidecars: logTailers(manifest, spec, givenConfig(spec)),
        initContainers: readsItself ? [] : [configWriter(manifest, spec, tiflashInitScript(script))],
        sysctlContainer: "sysctl",
    });
}

const servicePorts = [
    { name: "tiflash", port: tiflashPorts.tiflash },
    { name: "proxy", port: tiflashPorts.proxy },
    { name: "metrics", port: tiflashPorts.metrics },
    { name: "proxy-metrics", port: tiflashProxyStatusPort },
];
