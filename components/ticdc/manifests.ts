import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import { type RenderedMember, renderMember } from "../kubernetes/member";
import type { ConfigFile } from "../kubernetes/memberDescription";
import { podField } from "../kubernetes/podSpec";
import { headlessService } from "../kubernetes/services";
import { memberSettings } from "../kubernetes/settings";
import { pdClientScriptOptions } from "../kubernetes/startScriptOptions";
import { clusterTlsVolumes } from "../kubernetes/tls";
import { secretFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import { ticdcArguments, ticdcConfigFile } from "./config";
import type { TicdcSpec } from "./spec";
import { ticdcStartScript } from "./startScript";

const member = "ticdc";

/** Renders TiCDC (tidb-operator pkg/manager/member/ticdc_member_manager.go). `spec.ticdc` must be set. */
export function ticdcManifests(manifest: TidbClusterManifest): RenderedMember {
    const cluster = manifest.metadata.name;
    const spec = manifest.spec.ticdc as TicdcSpec;
    const headless = headlessServiceName(cluster, member);
    const { timezone, ...values } = ticdcArguments(spec);
    const configFiles = configFilesOf(spec);
    const script = ticdcStartScript({
        ...pdClientScriptOptions(manifest),
        arguments: values,
        hasConfigFile: configFiles.length > 0,
    });
    return renderMember(manifest, {
        member,
        spec,
        settings: memberSettings(manifest, member, spec),
        image: memberImage(manifest, spec),
        services: [headlessService(manifest, member, headless, [{ name: "ticdc", port: ports.ticdc.api }], {})],
        configFiles,
        volumes: [
            ...clusterTlsVolumes(manifest, member, true),
            ...(spec.tlsClientSecretNames ?? []).map((secret) =>
                secretFolder(secret, secret, `/var/lib/sink-tls/${secret}`),
            ),
        ],
        dataVolumes: [],
        metrics: { port: ports.ticdc.api, path: "/metrics" },
        command: ["/bin/sh", "-c", script],
        ports: { ticdc: ports.ticdc.api },
        environment: [
            podField("POD_NAME", "metadata.name"),
            podField("NAMESPACE", "metadata.namespace"),
            { name: "HEADLESS_SERVICE_NAME", value: headless },
            { name: "TZ", value: timezone ?? (manifest.spec.timezone || "UTC") },
        ],
        containerFields: { securityContext: spec.securityContext },
        sidecars: [],
        initContainers: [],
        // The v1 start scripts do not read them.
        mountsAnnotations: manifest.spec.startScriptVersion === "v2",
        setsSysctls: false,
    });
}

function configFilesOf(spec: TicdcSpec): ConfigFile[] {
    const content = ticdcConfigFile(spec);
    return content === undefined
        ? []
        : [{ volume: "config", key: "config-file", content, file: { folder: "/etc/ticdc", name: "ticdc.toml" } }];
}
