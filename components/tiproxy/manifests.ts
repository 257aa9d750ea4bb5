import { headlessServiceName, memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { memberImage } from "../cluster";
import { type RenderedMember, renderMember } from "../kubernetes/member";
import type { KubernetesObject } from "../kubernetes/object";
import { podField } from "../kubernetes/podSpec";
import { clientService, headlessService } from "../kubernetes/services";
import { memberSettings } from "../kubernetes/settings";
import { startScriptOptions } from "../kubernetes/startScriptOptions";
import type { TidbClusterManifest } from "../spec";
import { certificatesOf, tiproxyConfig } from "./config";
import type { TiproxySpec } from "./spec";
import { tiproxyStartScript } from "./startScript";

const member = "tiproxy";
const folder = "/etc/proxy";

/** Renders TiProxy (tidb-operator pkg/manager/member/tiproxy_member_manager.go). `spec.tiproxy` must be set. */
export function tiproxyManifests(manifest: TidbClusterManifest): RenderedMember {
    const cluster = manifest.metadata.name;
    const spec = manifest.spec.tiproxy as TiproxySpec;
    const headless = headlessServiceName(cluster, member);
    return renderMember(manifest, {
        member,
        spec,
        // TiProxy reloads a changed configuration while it runs, so a change never restarts it.
        settings: { ...memberSettings(manifest, member, spec), configUpdateStrategy: "InPlace" },
        image: memberImage(manifest, spec),
        services: [sqlService(manifest), peerService(manifest, headless)],
        configFiles: [
            {
                volume: "config",
                key: "config-file",
                content: tiproxyConfig(manifest, spec),
                file: { folder, name: "proxy.toml" },
            },
            {
                volume: "config",
                key: "startup-script",
                content: tiproxyStartScript(startScriptOptions(manifest)),
                file: { folder, name: "start.sh" },
            },
        ],
        volumes: certificatesOf(manifest, spec).volumes,
        dataVolumes: [],
        metrics: { port: ports.tiproxy.api, path: "/api/metrics" },
        command: ["/bin/sh", `${folder}/start.sh`],
        ports: { tiproxy: ports.tiproxy.sql, "tiproxy-api": ports.tiproxy.api, "tiproxy-peer": ports.tiproxy.peer },
        environment: [
            podField("POD_NAME", "metadata.name"),
            podField("NAMESPACE", "metadata.namespace"),
            { name: "HEADLESS_SERVICE_NAME", value: headless },
        ],
        containerFields: { securityContext: spec.securityContext },
        sidecars: [],
        initContainers: [],
        setsSysctls: false,
    });
}

/** Renders TiProxy's headless Service. Unlike those of other members, it sets its type. */
function peerService(manifest: TidbClusterManifest, name: string): KubernetesObject {
    const object = headlessService(manifest, member, name, [
        { name: "tiproxy-api", port: ports.tiproxy.api },
        { name: "tiproxy-peer", port: ports.tiproxy.peer },
    ]);
    Object.assign(object.spec, { type: "ClusterIP" });
    return object;
}

/** Renders TiProxy's Service for SQL clients. v1alpha1 has no field for it, so its type is always NodePort. */
function sqlService(manifest: TidbClusterManifest): KubernetesObject {
    const offered = [
        { name: "tiproxy-api", port: ports.tiproxy.api },
        { name: "tiproxy-sql", port: ports.tiproxy.sql },
    ];
    const name = memberName(manifest.metadata.name, member);
    const object = clientService(manifest, member, name, offered, { type: "NodePort" });
    Object.assign(object.spec, { publishNotReadyAddresses: true });
    return object;
}
