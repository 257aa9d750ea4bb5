import { type LookOptions, lookedFurther } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { notAsked } from "../lifecycle/vocabulary/evidence";
import type { ClusterId } from "./clusterId";
import { askTikv, type Observers } from "./observeCluster";
import { askPd } from "./observePd";

/**
 * Asks only for what a decision still needs, right after it has seen everything else. The observation is then as one that
 * took longer: it begins with the earlier look, and one leader of PD answered all of it.
 * @param seen what was observed with the options `before`, without earlier answers.
 * @returns the observation with these options; `undefined` if everything must be asked.
 */
export async function askMore(
    options: LookOptions,
    before: LookOptions,
    seen: Observation,
    id: ClusterId,
    observers: Omit<Observers, "tikv"> & { readonly tikv: Pick<Observers["tikv"], "keepOnly" | "ownLeaders"> },
    now: () => number,
): Promise<Observation | undefined> {
    const more = lookedFurther(before, options);
    const { leadership } = seen.pd;
    if (more === undefined || seen.pdTrouble || !leadership.known || !leadership.value.isSteady) {
        return undefined;
    }
    const { pd: parts, regions, ownLeadersOf, backups } = more;
    const [answers, own, running] = await Promise.all([
        parts.length === 0 && regions === undefined
            ? undefined
            : observers.pd
                  .ask(
                      (client) =>
                          askPd(client, {
                              ...{ regions, id, now, watch: observers.watch },
                              parts: [...parts, "leadership"],
                              restarted: undefined,
                              isFirstDeployment: false,
                          }),
                      seen.members.pd?.pods,
                  )
                  // Why PD does not answer is found when it is asked everything.
                  .catch(() => "none" as const),
        askTikv(ownLeadersOf, seen.members.tikv, observers),
        backups ? observers.backups() : undefined,
    ]);
    if (answers === "none" || answers?.badAnswer) {
        return undefined;
    }
    const after = answers?.pd.leadership;
    if (after && !(after.known && after.value.isSteady && after.value.term === leadership.value.term)) {
        return undefined;
    }
    const news = Object.entries(answers?.pd ?? {}).filter(
        ([name, fact]) => fact !== notAsked && name !== "leadership" && name !== "microservices",
    );
    return {
        ...seen,
        pd: { ...seen.pd, ...Object.fromEntries(news) },
        ownLeaders: { ...seen.ownLeaders, ...own },
        ...(running ? { backups: running } : {}),
        now: now(),
    };
}
