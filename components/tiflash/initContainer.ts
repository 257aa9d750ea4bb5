import { helper } from "../cluster";
import type { Container } from "../kubernetes/pod";
import { podField } from "../kubernetes/podSpec";
import { present } from "../kubernetes/present";
import { containerResources } from "../kubernetes/resources";
import { clusterTlsVolumes, hasDiscoveryTls } from "../kubernetes/tls";
import type { TidbClusterManifest } from "../spec";
import type { TiflashSpec } from "./spec";

/** Mount path of the ConfigMap in the containers that use it. */
export const configFolder = "/etc/tiflash";

/** Renders the init container that writes a pod's configuration to its first data volume. */
export function configWriter(manifest: TidbClusterManifest, spec: TiflashSpec, script: string): Container {
    // tidb-operator does not mount the certificates, so its script cannot connect to a discovery that requires them.
    const needsCertificate = manifest.spec.acrossK8s === true && hasDiscoveryTls(manifest);
    const certificates = needsCertificate ? clusterTlsVolumes(manifest, "tiflash") : [];
    return {
        name: "init",
        image: helper(manifest).image,
        command: ["sh", "-c", script],
        env: [podField("POD_NAME", "metadata.name")],
        resources: containerResources(spec.initializer),
        ...present({ securityContext: spec.initializer?.securityContext }),
        volumeMounts: [
            { name: "data0", mountPath: "/data0" },
            { name: "config", mountPath: configFolder, readOnly: true },
            ...certificates.map(({ mount }) => mount),
        ],
    };
}
