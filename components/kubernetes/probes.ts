import type { Probe } from "../componentSpec";
import type { KubernetesFields } from "./pod";

/** Default number of seconds before the first probe of a member (tidb-operator's default). */
const initialDelaySeconds = 10;

/** @returns a readiness probe with a handler and the spec's periods. */
export function readinessProbe(handler: KubernetesFields, probe: Probe | undefined): KubernetesFields {
    return {
        ...handler,
        initialDelaySeconds: probe?.initialDelaySeconds ?? initialDelaySeconds,
        ...(probe?.periodSeconds === undefined ? {} : { periodSeconds: probe.periodSeconds }),
    };
}

/** @returns a probe handler that connects to a port. */
export function tcpHandler(port: number): KubernetesFields {
    return { tcpSocket: { port } };
}
