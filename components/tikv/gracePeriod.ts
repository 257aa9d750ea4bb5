import { goDurationSeconds } from "../../topology/goDuration";
import { memberImage } from "../cluster";
import { isAtLeast } from "../imageVersion";
import { defaultGraceSeconds } from "../kubernetes/podSpec";
import { configValue, readConfig } from "../kubernetes/toml";
import { type SpecProblem, specWarning } from "../problem";
import type { TidbClusterManifest, TidbClusterSpec } from "../spec";
import { configProblems } from "../validation/config";
import type { TikvSpec } from "./spec";

const field = "spec.tikv";

/** How long TiKV lets its leaders go after SIGTERM. 0 switches it off (docs.pingcap.com/tidb/stable/tikv-configuration-file). */
const timeoutKey = "server.graceful-shutdown-timeout";
/** The first version that does so, and its default in seconds. */
const gracefulSince = [8, 5, 6] as const;
const defaultTimeoutSeconds = 20;

/** How long the rest of TiKV's shutdown may take, in seconds: 2 s were seen after the timeout, with PD there. */
const stopSeconds = 10;

/**
 * @returns how long Kubernetes must wait until it kills TiKV, in seconds: the user's own setting, or else what lets the leaders go within
 * TiKV's timeout; `undefined` for Kubernetes' own default, which is enough for TiKV's. TiDB Operator v1 sets none, and v2 65,535 s, with
 * which a store that hangs holds up everything (tidb-operator pkg/controllers/tikv/tasks/pod.go).
 */
export function gracePeriodSeconds(image: string, spec: TikvSpec): number | undefined {
    const needed = Math.ceil((timeoutSeconds(image, spec) ?? 0) + stopSeconds);
    return spec.terminationGracePeriodSeconds ?? (needed > defaultGraceSeconds ? needed : undefined);
}

/** Warns if Kubernetes kills TiKV before its leaders have left. */
export function gracePeriodProblems(spec: TikvSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const own = spec.terminationGracePeriodSeconds;
    if (own === undefined || configProblems(`${field}.config`, spec.config, ["security"]).length > 0) {
        return [];
    }
    const timeout = timeoutSeconds(memberImage({ spec: cluster } as TidbClusterManifest, spec), spec) ?? 0;
    const needed = Math.ceil(timeout + stopSeconds);
    const killed =
        "where no gate lets its leaders leave before, as in a suspension, Kubernetes kills TiKV while it still leads regions";
    return timeout === 0 || own >= needed
        ? []
        : [
              specWarning(
                  `${field}.terminationGracePeriodSeconds`,
                  String(own),
                  `at least ${needed}: ${timeout} of config.${timeoutKey}, in which the leaders leave, and ${stopSeconds} in which TiKV stops`,
                  killed,
              ),
          ];
}

/** `undefined` if it is not known: the tag is no version, or the configuration has no duration there, of which TiKV complains. */
function timeoutSeconds(image: string, { config }: TikvSpec): number | undefined {
    const set = configValue(readConfig(config), timeoutKey);
    if (set !== undefined) {
        return goDurationSeconds(String(set)) ?? (Number(set) === 0 ? 0 : undefined);
    }
    const isGraceful = isAtLeast(image, gracefulSince);
    return isGraceful === undefined ? undefined : isGraceful ? defaultTimeoutSeconds : 0;
}
