import { counted } from "../../vocabulary/counted";
import type { BatchProof } from "./memberBatch";

/** What a plan says of a batch's proof. */

const proofs: Readonly<Record<BatchProof["by"], string>> = {
    gauge: "proven by PD's pd_regions_label_level",
    scan: "proven by PD's list of their regions",
    replicas: "proven by PD's list of their regions",
    members: "proven by PD's list of its members",
    pods: "the others are Ready",
};

/** @returns what proves it. */
export function proofInWords({ by }: BatchProof): string {
    return proofs[by];
}

/** @returns the margin in words. */
export function marginInWords({ by, margin }: BatchProof): string {
    switch (by) {
        case "gauge":
        case "scan":
            return margin === 0
                ? "no region may lose another voter meanwhile"
                : margin === Infinity
                  ? "no region has a voter there"
                  : `each region can lose ${counted(margin, "more voter")} meanwhile`;
        case "replicas":
            return margin === Infinity
                ? "no region has a replica there"
                : `each region keeps at least ${counted(margin + 1, "replica")} on TiFlash meanwhile`;
        case "members":
            return margin === 0
                ? "PD may lose no other member meanwhile"
                : `PD can lose ${counted(margin, "more member")} meanwhile`;
        case "pods":
            return `${counted(margin, "pod")} ${margin === 1 ? "serves" : "serve"} meanwhile`;
    }
}
