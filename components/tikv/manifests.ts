import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import { type RenderedMember, renderMember } from "../kubernetes/member";
import type { RenderOptions } from "../kubernetes/memberDescription";
import { podField } from "../kubernetes/podSpec";
import { readinessProbe, tcpHandler } from "../kubernetes/probes";
import { storeCapacity } from "../kubernetes/resources";
import { headlessService } from "../kubernetes/services";
import { memberSettings } from "../kubernetes/settings";
import { pdClientScriptOptions } from "../kubernetes/startScriptOptions";
import { claimTemplate } from "../../topology/claimTemplate";
import { clusterTlsVolumes } from "../kubernetes/tls";
import type { TidbClusterManifest } from "../spec";
import { tikvConfig } from "./config";
import { gracePeriodSeconds } from "./gracePeriod";
import { logTailers } from "./logTailers";
import type { TikvSpec } from "./spec";
import { tikvStartScript } from "./startScript";

const member = "tikv";

/** Folder of a store's data volume. */
const tikvDataFolder = "/var/lib/tikv";

/** Renders TiKV. `spec.tikv` must be set. */
export function tikvManifests(manifest: TidbClusterManifest, options?: RenderOptions): RenderedMember {
    const cluster = manifest.metadata.name;
    const own = manifest.spec.tikv as TikvSpec;
    const image = memberImage(manifest, own);
    const spec = { ...own, terminationGracePeriodSeconds: gracePeriodSeconds(image, own) };
    const settings = memberSettings(manifest, member, spec);
    const headless = headlessServiceName(cluster, member);
    return renderMember(manifest, {
        ...options,
        member,
        podsPerNode: "third",
        spec,
        settings,
        image,
        services: [headlessService(manifest, member, headless, [{ name: "peer", port: ports.tikv.server }])],
        configFiles: [
            {
                volume: "config",
                key: "config-file",
                content: tikvConfig(manifest, spec),
                file: { folder: "/etc/tikv", name: "tikv.toml" },
            },
            {
                volume: "startup-script",
                key: "startup-script",
                content: tikvStartScript({
                    ...pdClientScriptOptions(manifest),
                    dataSubDir: spec.dataSubDir,
                    startTimeout: manifest.spec.pd?.startTimeout,
                    enableDynamicConfiguration: manifest.spec.enableDynamicConfiguration,
                }),
                file: { folder: "/usr/local/bin", name: "tikv_start_script.sh" },
            },
        ],
        volumes: clusterTlsVolumes(manifest, member, spec.mountClusterClientSecret),
        dataVolumes: [{ claim: claimTemplate(member, spec.requests?.storage ?? "", spec), mountPath: tikvDataFolder }],
        metrics: { port: ports.tikv.status, path: "/metrics" },
        command: ["/bin/sh", "/usr/local/bin/tikv_start_script.sh"],
        ports: {
            server: ports.tikv.server,
            ...(spec.enableNamedStatusPort === true ? { status: ports.tikv.status } : {}),
        },
        environment: [
            podField("NAMESPACE", "metadata.namespace"),
            { name: "CLUSTER_NAME", value: cluster },
            { name: "HEADLESS_SERVICE_NAME", value: headless },
            { name: "CAPACITY", value: storeCapacity(spec.limits) },
            { name: "TZ", value: manifest.spec.timezone ?? "" },
            // On the node's network, HOSTNAME is the name of the node, not of the pod.
            ...(settings.hostNetwork ? [podField("POD_NAME", "metadata.name")] : []),
        ],
        containerFields: {
            readinessProbe: spec.readinessProbe && readinessProbe(tcpHandler(ports.tikv.server), spec.readinessProbe),
            securityContext: spec.securityContext ?? { privileged: spec.privileged ?? false },
        },
        sidecars: logTailers(manifest, spec, image),
        initContainers: [],
    });
}
