import type { ComponentSpec, Probe, ResourceSpec } from "../componentSpec";

/** Settings of discovery, the small server that tells each PD pod whether to form the cluster or to join it. */
export interface DiscoverySpec extends ComponentSpec, ResourceSpec {
    /** Liveness probe. The container is restarted if its port 10261 does not accept a connection. Default: no probe. */
    livenessProbe?: Probe;
}
