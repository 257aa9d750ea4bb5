import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import { type RenderedMember, renderMember } from "../kubernetes/member";
import { namespaceOf } from "../kubernetes/metadata";
import { podField } from "../kubernetes/podSpec";
import { storeCapacity } from "../kubernetes/resources";
import { headlessService } from "../kubernetes/services";
import type { RenderOptions } from "../kubernetes/memberDescription";
import { memberSettings } from "../kubernetes/settings";
import { pdClientScriptOptions } from "../kubernetes/startScriptOptions";
import { clusterTlsVolumes } from "../kubernetes/tls";
import type { TidbClusterManifest } from "../spec";
import { readsConfigMap } from "./annotations";
import { givenConfig, tiflashConfig } from "./config";
import { configFolder, configWriter } from "./initContainer";
import { logTailers } from "./logs";
import type { TiflashSpec } from "./spec";
import { tiflashInitScript, tiflashStartScript } from "./startScript";
import { dataVolumes } from "./volumes";

const member = "tiflash";

/** Renders TiFlash. `spec.tiflash` must be set. */
export function tiflashManifests(manifest: TidbClusterManifest, options?: RenderOptions): RenderedMember {
    const cluster = manifest.metadata.name;
    const spec = manifest.spec.tiflash as TiflashSpec;
    const settings = memberSettings(manifest, member, spec);
    const image = memberImage(manifest, spec);
    const headless = headlessServiceName(cluster, member);
    const { config, proxy } = tiflashConfig(manifest, spec, image);
    const readsDirectly = readsConfigMap(spec);
    const script = {
        ...pdClientScriptOptions(manifest),
        namespace: namespaceOf(manifest),
        readsConfigMap: readsDirectly,
        enableDynamicConfiguration: manifest.spec.enableDynamicConfiguration,
    };
    return renderMember(manifest, {
        ...options,
        member,
        podsPerNode: "third",
        spec,
        settings,
        image,
        services: [headlessService(manifest, member, headless, servicePorts, {})],
        configFiles: [],
        configFolder: {
            volume: "config",
            files: [
                { key: "config_templ.toml", config },
                { key: "proxy_templ.toml", config: proxy, path: "proxy" },
            ],
            mountPath: readsDirectly ? configFolder : undefined,
        },
        volumes: clusterTlsVolumes(manifest, member),
        dataVolumes: dataVolumes(spec),
        metrics: {
            port: ports.tiflash.metrics,
            path: "/metrics",
            annotations: { "tiflash.proxy.prometheus.io/port": String(ports.tiflash.proxyStatus) },
        },
        command: ["/bin/sh", "-c", tiflashStartScript(script)],
        ports: containerPorts,
        environment: [
            podField("NAMESPACE", "metadata.namespace"),
            { name: "CLUSTER_NAME", value: cluster },
            { name: "HEADLESS_SERVICE_NAME", value: headless },
            { name: "CAPACITY", value: storeCapacity(spec.limits) },
            { name: "TZ", value: manifest.spec.timezone || "UTC" },
            // On the node's network, HOSTNAME is the name of the node, not of the pod.
            ...(settings.hostNetwork ? [podField("POD_NAME", "metadata.name")] : []),
        ],
        containerFields: { securityContext: spec.securityContext ?? { privileged: spec.privileged ?? false } },
        sidecars: [],
        laterSidecars: logTailers(manifest, spec, givenConfig(spec)),
        initContainers: readsDirectly ? [] : [configWriter(manifest, spec, tiflashInitScript(script))],
        sysctlContainer: "sysctl",
    });
}

/** Ports of the container, by name. */
const containerPorts = {
    tiflash: ports.tiflash.server,
    proxy: ports.tiflash.proxy,
    tcp: ports.tiflash.tcp,
    http: ports.tiflash.http,
    internal: ports.tiflash.internal,
    metrics: ports.tiflash.metrics,
};

const servicePorts = [
    { name: "tiflash", port: ports.tiflash.server },
    { name: "proxy", port: ports.tiflash.proxy },
    { name: "metrics", port: ports.tiflash.metrics },
    { name: "proxy-metrics", port: ports.tiflash.proxyStatus },
];
