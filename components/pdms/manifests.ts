import { headlessServiceName, memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import type { Version } from "../../topology/imageVersion";
import { isAtLeast } from "../imageVersion";
import { type RenderedMember, renderMember } from "../kubernetes/member";
import { podField } from "../kubernetes/podSpec";
import { memberSettings } from "../kubernetes/settings";
import { pdClientScriptOptions } from "../kubernetes/startScriptOptions";
import {
    caKey,
    certificateKey,
    clusterTlsFolder,
    clusterTlsVolumes,
    hasClusterTls,
    privateKeyKey,
} from "../kubernetes/tls";
import { readConfig, type TomlTable, withConfigValues } from "../kubernetes/toml";
import { pdServices } from "../pd/services";
import type { TidbClusterManifest } from "../spec";
import { microserviceOf } from "./microservices";
import type { PdMicroserviceName, PdMicroserviceSpec } from "./spec";
import { pdMicroserviceStartScript } from "./startScript";

/** From this version on, a server has a name and can be made the primary (tikv/pd#8157). */
const namedSince: Version = [8, 3, 0];

/**
 * Renders a microservice of PD. The cluster must have it. It uses PD's certificate and configuration file (tidb-operator
 * pkg/manager/member/pd_ms_member_manager.go). Unlike in tidb-operator, `additionalVolumeMounts` and the cluster's service
 * account apply to it, as to every other member.
 */
export function pdMicroserviceManifests(manifest: TidbClusterManifest, name: PdMicroserviceName): RenderedMember {
    const cluster = manifest.metadata.name;
    const spec = microserviceOf(manifest.spec, name) as PdMicroserviceSpec;
    const settings = memberSettings(manifest, name, spec);
    const image = memberImage(manifest, spec);
    return renderMember(manifest, {
        member: name,
        spec,
        settings,
        image,
        services: pdServices(manifest, name, spec.service),
        configFiles: [
            {
                volume: "config",
                key: "config-file",
                content: config(manifest, spec),
                file: { folder: "/etc/pd", name: "pd.toml" },
            },
            {
                volume: "startup-script",
                key: "startup-script",
                content: pdMicroserviceStartScript({
                    ...pdClientScriptOptions(manifest),
                    name,
                    isNamed: isAtLeast(image, namedSince) === true,
                    startTimeout: manifest.spec.pd?.startTimeout,
                    initWaitTime: manifest.spec.pd?.initWaitTime,
                }),
                file: { folder: "/usr/local/bin", name: "pdms_start_script.sh" },
            },
        ],
        volumes: clusterTlsVolumes(manifest, "pd", spec.mountClusterClientSecret),
        dataVolumes: [],
        metrics: { port: ports.pd.client, path: "/metrics" },
        command: ["/bin/sh", "/usr/local/bin/pdms_start_script.sh"],
        ports: { server: ports.pd.client },
        environment: [
            podField("NAMESPACE", "metadata.namespace"),
            { name: "PEER_SERVICE_NAME", value: headlessServiceName(cluster, name) },
            { name: "SERVICE_NAME", value: memberName(cluster, name) },
            { name: "SET_NAME", value: memberName(cluster, name) },
            { name: "TZ", value: manifest.spec.timezone ?? "" },
            { name: "CLUSTER_NAME", value: cluster },
            { name: "HEADLESS_SERVICE_NAME", value: headlessServiceName(cluster, name) },
            // On the node's network, HOSTNAME is the name of the node, not of the pod.
            ...(settings.hostNetwork ? [podField("POD_NAME", "metadata.name")] : []),
        ],
        containerFields: { securityContext: spec.securityContext },
        sidecars: [],
        initContainers: [],
    });
}

/** @returns the microservice's configuration: the user's, with the certificates if members use TLS. */
function config(manifest: TidbClusterManifest, spec: PdMicroserviceSpec): TomlTable {
    const folder = clusterTlsFolder("pd");
    const certificates = {
        "security.cacert-path": `${folder}/${caKey}`,
        "security.cert-path": `${folder}/${certificateKey}`,
        "security.key-path": `${folder}/${privateKeyKey}`,
    };
    return withConfigValues(readConfig(spec.config), hasClusterTls(manifest) ? certificates : {});
}
