import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import { type RenderedMember, renderMember } from "../kubernetes/member";
import { namespaceOf } from "../kubernetes/metadata";
import { podField } from "../kubernetes/podSpec";
import { tcpHandler } from "../kubernetes/probes";
import { headlessService } from "../kubernetes/services";
import { memberSettings } from "../kubernetes/settings";
import { pdClientScriptOptions } from "../kubernetes/startScriptOptions";
import { claimTemplate } from "../../topology/claimTemplate";
import { clusterTlsVolumes } from "../kubernetes/tls";
import type { TidbClusterManifest } from "../spec";
import { pumpConfig, pumpLogLevel } from "./config";
import type { PumpSpec } from "./spec";
import { pumpStartScript } from "./startScript";

const member = "pump";

/**
 * Renders Pump. `spec.pump` must be set. Its objects follow older conventions than those of the other members: the headless
 * Service has the same name as the StatefulSet, and the data volume is called `data` (tidb-operator
 * pkg/manager/member/pump_member_manager.go).
 */
export function pumpManifests(manifest: TidbClusterManifest): RenderedMember {
    const cluster = manifest.metadata.name;
    const spec = manifest.spec.pump as PumpSpec;
    const settings = memberSettings(manifest, member, spec);
    const service = headlessServiceName(cluster, member);
    const script = pumpStartScript({
        ...pdClientScriptOptions(manifest),
        namespace: namespaceOf(manifest),
        logLevel: pumpLogLevel(spec),
    });
    return renderMember(manifest, {
        member,
        // tidb-operator does not support these for Pump. Validation warns about them.
        spec: { ...spec, additionalVolumes: undefined, additionalVolumeMounts: undefined },
        settings: {
            ...settings,
            podManagementPolicy: spec.podManagementPolicy ?? manifest.spec.podManagementPolicy ?? "OrderedReady",
        },
        image: memberImage(manifest, spec),
        services: [headlessService(manifest, member, service, [{ name: "pump", port: ports.pump.api }], {})],
        configFiles: [
            {
                volume: "config",
                key: "pump-config",
                content: pumpConfig(manifest, spec),
                file: { folder: "/etc/pump", name: "pump.toml" },
                isReadOnly: false,
            },
        ],
        volumes: clusterTlsVolumes(manifest, member),
        dataVolumes: [{ claim: claimTemplate("data", spec.requests?.storage ?? "", spec), mountPath: "/data" }],
        metrics: { port: ports.pump.api, path: "/metrics" },
        command: ["/bin/sh", "-c", script],
        ports: { pump: ports.pump.api },
        environment: [
            ...(spec.setTimeZone === true ? [{ name: "TZ", value: manifest.spec.timezone ?? "" }] : []),
            // On the node's network, HOSTNAME is the name of the node, not of the pod.
            ...(settings.hostNetwork ? [podField("HOSTNAME", "metadata.name")] : []),
        ],
        containerFields: { readinessProbe: tcpHandler(ports.pump.api), securityContext: spec.securityContext },
        sidecars: [],
        initContainers: [],
        mountsAnnotations: manifest.spec.startScriptVersion === "v2",
        setsSysctls: false,
        hasDeleteSlots: false,
    });
}
