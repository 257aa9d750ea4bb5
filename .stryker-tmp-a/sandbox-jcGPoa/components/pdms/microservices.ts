import type { TidbClusterSpec } from "../spec";
import type { PdMicroserviceName, PdMicroserviceSpec } from "./spec";

/**
 * Whether PD runs as microservices: it says so, and some are listed. One without the other changes nothing
 * (tidb-operator pkg/manager/member/pd_ms_member_manager.go, startscript/render_start_script.go).
 */
export function hasMicroservices(spec: TidbClusterSpec): boolean {
    return spec.pd?.mode === "ms" && (spec.pdms ?? []).length > 0;
}

/** @returns what the cluster says about a microservice; `undefined` where it runs none of that name. */
export function microserviceOf(spec: TidbClusterSpec, name: PdMicroserviceName): PdMicroserviceSpec | undefined {
    return hasMicroservices(spec) ? spec.pdms?.find((service) => service.name === name) : undefined;
}

/** @returns the path of a microservice in a manifest: `spec.pdms[0]`. */
export function microservicePath(spec: TidbClusterSpec, name: PdMicroserviceName): string {
    return `spec.pdms[${(spec.pdms ?? []).findIndex((service) => service.name === name)}]`;
}
