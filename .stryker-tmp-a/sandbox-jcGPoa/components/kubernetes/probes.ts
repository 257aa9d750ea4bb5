import type { Probe } from "../componentSpec";
import type { KubernetesFields } from "./pod";

/** Seconds before the first probe of a member, unless it says otherwise (tidb-operator's default). */
const initialDelaySeconds = 10;

/** A readiness probe with a handler, and the times that the spec says. */
export function readinessProbe(handler: KubernetesFields, probe: Probe | undefined): KubernetesFields {
    return {
        ...handler,
        initialDelaySeconds: probe?.initialDelaySeconds ?? initialDelaySeconds,
        ...(probe?.periodSeconds === undefined ? {} : { periodSeconds: probe.periodSeconds }),
    };
}

/** A probe that connects to a port. */
export function tcpHandler(port: number): KubernetesFields {
    return { tcpSocket: { port } };
}
