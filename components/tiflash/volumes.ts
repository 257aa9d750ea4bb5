import type { KubernetesFields } from "../kubernetes/pod";
import { claimTemplate } from "../../topology/claimTemplate";
import type { TiflashSpec } from "./spec";

/** @returns the data volumes of a pod: `data0` at `/data0` and so on. */
export function dataVolumes({ storageClaims = [] }: TiflashSpec): { claim: KubernetesFields; mountPath: string }[] {
    return storageClaims.map((claim, index) => ({
        claim: claimTemplate(`data${index}`, claim.resources?.requests?.storage ?? "", claim),
        mountPath: `/data${index}`,
    }));
}

/** @returns TiFlash's data folders: one in each of its volumes. */
export function dataFolders(spec: TiflashSpec): string[] {
    return dataVolumes(spec).map(({ mountPath }) => `${mountPath}/db`);
}
