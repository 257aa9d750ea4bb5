import type { TidbClusterSpec } from "../spec";
import type { PdMicroserviceName, PdMicroserviceSpec } from "./spec";

/**
 * Whether PD runs as microservices: `pd.mode` is `ms` and `pdms` is not empty. One without the other has no effect
 * (tidb-operator pkg/manager/member/pd_ms_member_manager.go, startscript/render_start_script.go).
 */
export function hasMicroservices(spec: TidbClusterSpec): boolean {
    return spec.pd?.mode === "ms" && (spec.pdms ?? []).length > 0;
}

/** @returns the spec of a microservice; `undefined` if the cluster does not run it. */
export function microserviceOf(spec: TidbClusterSpec, name: PdMicroserviceName): PdMicroserviceSpec | undefined {
    return hasMicroservices(spec) ? spec.pdms?.find((service) => service.name === name) : undefined;
}

/** @returns the path of a microservice in a manifest: `spec.pdms[0]`. */
export function microservicePath(spec: TidbClusterSpec, name: PdMicroserviceName): string {
    return `spec.pdms[${(spec.pdms ?? []).findIndex((service) => service.name === name)}]`;
}
