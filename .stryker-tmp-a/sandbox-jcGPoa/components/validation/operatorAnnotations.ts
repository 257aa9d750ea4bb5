import { type SpecProblem, specWarning } from "../problem";
import { noEffectProblems, type NoEffect, noFailover } from "./noEffect";
import { shown } from "./path";

/**
 * Annotations of a TidbCluster that tidb-operator acts on and this package does not, and why (tidb-operator
 * pkg/apis/label/label.go, pkg/manager/member). Those that ask for a check that is always made here are not among them.
 */
const withoutEffect: Readonly<Record<string, string>> = {
    "tidb.pingcap.com/force-upgrade":
        "no pod is restarted before it is safe, and pods that cannot start are made anew anyway",
    "tidb.pingcap.com/tikv-restart-without-flush-log-backup":
        "log backups are not flushed before a restart by this version",
    "tidb.pingcap.com/tidb-partition": "a roll-out goes over all pods",
    "tidb.pingcap.com/tikv-partition": "a roll-out goes over all pods",
    "tidb.pingcap.com/tikv-volumes-ready": "restoring from snapshots is not supported by this version",
    "pingcap.com/ha-topology-key": "it is for tidb-operator's own scheduler; use topologySpreadConstraints",
    "app.kubernetes.io/auto-failure-recovery": noFailover,
};

const minReady = /^[a-z]+\.pingcap\.com\/[a-z]+-min-ready-seconds$/;

/** Warns of annotations that ask tidb-operator for what is not done here, and of times that are none. */
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
