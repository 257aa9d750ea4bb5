import { memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import type { KubernetesObject } from "../kubernetes/object";
import type { KubernetesFields } from "../kubernetes/pod";
import { present } from "../kubernetes/present";
import { clientService } from "../kubernetes/services";
import type { TidbClusterManifest } from "../spec";
import type { TidbServiceSpec } from "./spec";

/** Renders TiDB's Service for SQL clients, if the spec has one. */
export function tidbService(manifest: TidbClusterManifest, spec: TidbServiceSpec | undefined): KubernetesObject[] {
    if (spec === undefined) {
        return [];
    }
    const object = clientService(
        manifest,
        "tidb",
        memberName(manifest.metadata.name, "tidb"),
        servicePorts(spec),
        spec,
    );
    Object.assign(object.spec, present({ externalTrafficPolicy: spec.externalTrafficPolicy }), loadBalancer(spec));
    return [object];
}

function servicePorts(spec: TidbServiceSpec): KubernetesFields[] {
    const sql = {
        name: spec.portName ?? "mysql-client",
        port: spec.port ?? ports.tidb.sql,
        targetPort: ports.tidb.sql,
        ...nodePort(spec.mysqlNodePort),
    };
    const status = { name: "status", port: ports.tidb.status, ...nodePort(spec.statusNodePort) };
    return [sql, ...(spec.additionalPorts ?? []), ...(spec.exposeStatus === false ? [] : [status])];
}

/** Zero means that Kubernetes picks the port. */
function nodePort(port: number | undefined): KubernetesFields {
    return port === undefined || port === 0 ? {} : { nodePort: port };
}

function loadBalancer(spec: TidbServiceSpec): KubernetesFields {
    return spec.type === "LoadBalancer"
        ? present({
              loadBalancerIP: spec.loadBalancerIP,
              loadBalancerSourceRanges: spec.loadBalancerSourceRanges,
              loadBalancerClass: spec.loadBalancerClass,
          })
        : {};
}
