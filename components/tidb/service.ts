import { memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import type { KubernetesObject } from "../kubernetes/object";
import type { KubernetesFields } from "../kubernetes/pod";
import { present } from "../kubernetes/present";
import { clientService } from "../kubernetes/services";
import type { TidbClusterManifest } from "../spec";
import type { TidbServiceSpec } from "./spec";

/** TiDB's Service for SQL clients; it is only made where the spec asks for it. */
export function tidbService(manifest: TidbClusterManifest, asked: TidbServiceSpec | undefined): KubernetesObject[] {
    if (asked === undefined) {
        return [];
    }
    const object = clientService(
        manifest,
        "tidb",
        memberName(manifest.metadata.name, "tidb"),
        servicePorts(asked),
        asked,
    );
    Object.assign(object.spec, present({ externalTrafficPolicy: asked.externalTrafficPolicy }), loadBalancer(asked));
    return [object];
}

function servicePorts(asked: TidbServiceSpec): KubernetesFields[] {
    const sql = {
        name: asked.portName ?? "mysql-client",
        port: asked.port ?? ports.tidb.sql,
        targetPort: ports.tidb.sql,
        ...nodePort(asked.mysqlNodePort),
    };
    const status = { name: "status", port: ports.tidb.status, ...nodePort(asked.statusNodePort) };
    return [sql, ...(asked.additionalPorts ?? []), ...(asked.exposeStatus === false ? [] : [status])];
}

/** Zero means that Kubernetes picks the port. */
function nodePort(port: number | undefined): KubernetesFields {
    return port === undefined || port === 0 ? {} : { nodePort: port };
}

function loadBalancer(asked: TidbServiceSpec): KubernetesFields {
    return asked.type === "LoadBalancer"
        ? present({
              loadBalancerIP: asked.loadBalancerIP,
              loadBalancerSourceRanges: asked.loadBalancerSourceRanges,
              loadBalancerClass: asked.loadBalancerClass,
          })
        : {};
}
