import { type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";

/**
 * Warns about numbers of PD and TiKV that tolerate fewer failures than a user may expect. The members of a cluster that joins
 * another cluster or spans several Kubernetes clusters are only a part of the whole, so they are not counted.
 */
export function memberCountProblems(spec: TidbClusterSpec): SpecProblem[] {
    const isPart = spec.cluster !== undefined || spec.acrossK8s === true || (spec.pdAddresses ?? []).length > 0;
    return isPart || spec.pd === undefined
        ? []
        : [...pdProblems(spec.pd.replicas), ...tikvProblems(spec.tikv?.replicas)];
}

function pdProblems(replicas: number): SpecProblem[] {
    if (replicas === 0 || replicas % 2 === 1) {
        return [];
    }
    const tolerated = replicas / 2 - 1;
    const tolerance = `${replicas} PD members tolerate the loss of ${tolerated === 0 ? "none" : tolerated}`;
    return [
        specWarning(
            "spec.pd.replicas",
            String(replicas),
            `an odd number such as ${replicas + 1}`,
            `a majority of ${replicas} is ${replicas / 2 + 1}, so ${tolerance}, as ${replicas - 1} ${replicas === 2 ? "does" : "do"}`,
            tolerated === 0 ? tolerance : undefined,
        ),
    ];
}

const onlyReplica = "one store holds the only replica of each region";

function tikvProblems(replicas: number | undefined): SpecProblem[] {
    return replicas === 1
        ? [
              specWarning(
                  "spec.tikv.replicas",
                  "1",
                  "at least 3",
                  `${onlyReplica}: the cluster is unavailable while the store restarts, and the data is lost with its volume`,
                  onlyReplica,
              ),
          ]
        : [];
}
