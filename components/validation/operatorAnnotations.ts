import { type SpecProblem, specWarning } from "../problem";
import { noEffectProblems, type NoEffect } from "./noEffect";
import { shown } from "./path";

/**
 * Annotations of a TidbCluster that tidb-operator supports and this package ignores, and why (tidb-operator
 * pkg/apis/label/label.go, pkg/manager/member). Annotations for a check that this package always makes are not listed.
 */
const withoutEffect: Readonly<Record<string, string>> = {
    "tidb.pingcap.com/force-upgrade":
        "a pod is never restarted before it is safe, and a pod that cannot start is recreated anyway",
    "tidb.pingcap.com/tikv-restart-without-flush-log-backup":
        "this version does not flush log backups before a restart",
    "tidb.pingcap.com/tidb-partition": "a rollout restarts all pods",
    "tidb.pingcap.com/tikv-partition": "a rollout restarts all pods",
    "tidb.pingcap.com/tikv-volumes-ready": "this version cannot restore from volume snapshots",
    "pingcap.com/ha-topology-key": "only tidb-operator's scheduler uses it; use topologySpreadConstraints",
    "app.kubernetes.io/auto-failure-recovery": "a failover deletes no store, and no claim of a store",
};

const minReady = /^[a-z]+\.pingcap\.com\/[a-z]+-min-ready-seconds$/;

/** Warns about annotations that this package ignores, and about durations that are not numbers. */
export function operatorAnnotationProblems(annotations: Record<string, string> = {}): SpecProblem[] {
    const unused = Object.entries(withoutEffect).map(([key, why]): NoEffect => ({
        field: key,
        value: annotations[key] ?? undefined,
        why,
    }));
    return [
        ...noEffectProblems("metadata.annotations", unused),
        ...Object.entries(annotations)
            .filter(([key, value]) => minReady.test(key) && !/^\d+$/.test(value))
            .map(([key, value]) =>
                specWarning(`metadata.annotations.${key}`, shown(value), "a whole number of seconds", "it counts as 0"),
            ),
    ];
}
