import { headlessServiceName, memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import { type RenderedMember, renderMember } from "../kubernetes/member";
import type { RenderOptions } from "../kubernetes/memberDescription";
import { podField } from "../kubernetes/podSpec";
import { readinessProbe, tcpHandler } from "../kubernetes/probes";
import { memberSettings } from "../kubernetes/settings";
import { startScriptOptions } from "../kubernetes/startScriptOptions";
import { claimTemplate } from "../../topology/claimTemplate";
import { clusterTlsVolumes } from "../kubernetes/tls";
import { hasMicroservices } from "../pdms/microservices";
import type { TidbClusterManifest } from "../spec";
import { pdConfig } from "./config";
import { pdServices } from "./services";
import type { PdSpec } from "./spec";
import { sqlClientTlsVolumes } from "./sqlTls";
import { pdStartScript } from "./startScript";

const member = "pd";

/** Folder of PD's data volume. */
const pdDataFolder = "/var/lib/pd";

/** Renders PD. `spec.pd` must be set. */
export function pdManifests(manifest: TidbClusterManifest, options?: RenderOptions): RenderedMember {
    const cluster = manifest.metadata.name;
    const spec = manifest.spec.pd as PdSpec;
    const settings = memberSettings(manifest, member, spec);
    const image = memberImage(manifest, spec);
    return renderMember(manifest, {
        ...options,
        member,
        podsPerNode: "minority",
        spec,
        settings,
        image,
        services: pdServices(manifest, member, spec.service),
        configFiles: [
            {
                volume: "config",
                key: "config-file",
                content: pdConfig(manifest, spec, image),
                file: { folder: "/etc/pd", name: "pd.toml" },
            },
            {
                volume: "startup-script",
                key: "startup-script",
                content: pdStartScript({
                    ...startScriptOptions(manifest),
                    microservices: hasMicroservices(manifest.spec),
                    dataSubDir: spec.dataSubDir,
                    startTimeout: spec.startTimeout,
                    initWaitTime: spec.initWaitTime,
                    startUpScriptVersion: spec.startUpScriptVersion,
                    pdAddresses: manifest.spec.pdAddresses,
                }),
                file: { folder: "/usr/local/bin", name: "pd_start_script.sh" },
            },
        ],
        volumes: [
            ...clusterTlsVolumes(manifest, member, spec.mountClusterClientSecret),
            ...sqlClientTlsVolumes(manifest, spec, image),
        ],
        dataVolumes: [{ claim: claimTemplate(member, spec.requests?.storage ?? "", spec), mountPath: pdDataFolder }],
        metrics: { port: ports.pd.client, path: "/metrics" },
        command: ["/bin/sh", "/usr/local/bin/pd_start_script.sh"],
        ports: { server: ports.pd.peer, client: ports.pd.client },
        environment: [
            podField("NAMESPACE", "metadata.namespace"),
            { name: "PEER_SERVICE_NAME", value: headlessServiceName(cluster, member) },
            { name: "SERVICE_NAME", value: memberName(cluster, member) },
            { name: "SET_NAME", value: memberName(cluster, member) },
            { name: "TZ", value: manifest.spec.timezone ?? "" },
            // On the node's network, HOSTNAME is the name of the node, not of the pod.
            ...(settings.hostNetwork ? [podField("POD_NAME", "metadata.name")] : []),
        ],
        containerFields: {
            readinessProbe: spec.readinessProbe && readinessProbe(tcpHandler(ports.pd.client), spec.readinessProbe),
            securityContext: spec.securityContext,
        },
        sidecars: [],
        initContainers: [],
    });
}
