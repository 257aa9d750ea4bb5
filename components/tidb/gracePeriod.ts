import { defaultGraceSeconds } from "../kubernetes/podSpec";
import { configValue, readConfig } from "../kubernetes/toml";
import { type SpecProblem, specWarning } from "../problem";
import { configProblems } from "../validation/config";
import type { TidbSpec } from "./spec";

const field = "spec.tidb";

/**
 * How long TiDB waits for its connections once it no longer takes new ones: 15 s (`gracefulCloseConnectionsTimeout` in pingcap/tidb
 * cmd/tidb-server/main.go), and 5 s for the rest of its shutdown (tidb-operator counts the same).
 */
const drainSeconds = 20;

const killed = "Kubernetes kills TiDB before its connections are drained";

/** Warns if Kubernetes kills TiDB before it has let its connections go. */
export function gracePeriodProblems(spec: TidbSpec): SpecProblem[] {
    if (configProblems(`${field}.config`, spec.config, ["log", "security"]).length > 0) {
        return [];
    }
    const grace = spec.terminationGracePeriodSeconds ?? defaultGraceSeconds;
    const sleep = sleepOf(spec.lifecycle);
    const wait = Number(configValue(readConfig(spec.config), "graceful-wait-before-shutdown") ?? 0);
    const needed = sleep + (Number.isFinite(wait) ? wait : 0) + drainSeconds;
    return grace >= needed
        ? []
        : [
              specWarning(
                  `${field}.terminationGracePeriodSeconds`,
                  spec.terminationGracePeriodSeconds === undefined ? `nothing, hence ${grace}` : String(grace),
                  `at least ${needed}: ${sleep} of lifecycle.preStop, ${needed - sleep - drainSeconds} of config.graceful-wait-before-shutdown, and ${drainSeconds} in which TiDB lets its connections go`,
                  killed,
                  killed,
              ),
          ];
}

/** The seconds that the container's `preStop` sleeps, as far as it says so: `sleep: {seconds: 10}` or a command with `sleep 10`. */
function sleepOf(lifecycle: TidbSpec["lifecycle"]): number {
    const { preStop } = (lifecycle ?? {}) as {
        preStop?: { sleep?: { seconds?: unknown }; exec?: { command?: unknown } };
    };
    const seconds = preStop?.sleep?.seconds;
    if (typeof seconds === "number") {
        return seconds;
    }
    const command = preStop?.exec?.command;
    const words = Array.isArray(command) ? command.join(" ") : "";
    return Number(/\bsleep (\d+)\b/.exec(words)?.[1] ?? 0);
}
