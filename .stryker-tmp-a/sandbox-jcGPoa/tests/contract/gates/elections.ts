import { setTimeout as pause } from "node:timers/promises";
import { followerOf } from "../pd/realElection";
import type { Scenario } from "./scenario";

/** Changes of PD's leader. Each returns when the other one was seen to lead, in seconds since the scenario began. */

/** A follower that has run all the while takes over. */
export async function transfer(scenario: Scenario): Promise<number> {
    return handTo(scenario, followerOf(scenario.pd, await leaderOf(scenario)));
}

/** The leader is ended without a goodbye; PD elects another one. */
export async function kill(scenario: Scenario): Promise<number> {
    const { term } = await scenario.pd.client.leadership();
    await scenario.pd.stopMember(await leaderOf(scenario));
    return untilAnotherLeads(scenario, term);
}

/** Until a follower has written down which regions it knows. What it has not, the leader sends it, leaders included. */
const writtenDownMilliseconds = 14_000;

/** Ends a follower and starts it again: it knows all regions then, and no leaders of them. @returns its name */
export async function restartFollower(scenario: Scenario): Promise<string> {
    await pause(writtenDownMilliseconds);
    const follower = followerOf(scenario.pd, await leaderOf(scenario));
    await scenario.pd.stopMember(follower);
    scenario.pd.startMember(follower);
    await pause(3000);
    await scenario.until(`${follower} is healthy`, async () =>
        (await scenario.pd.client.health()).every(({ healthy }) => healthy),
    );
    return follower;
}

export async function handTo(scenario: Scenario, member: string): Promise<number> {
    const { term } = await scenario.pd.client.leadership();
    await scenario.pd.client.transferLeader(member);
    return untilAnotherLeads(scenario, term);
}

async function leaderOf({ pd }: Scenario): Promise<string> {
    return (await pd.client.members()).leader!.name;
}

async function untilAnotherLeads(scenario: Scenario, before: string): Promise<number> {
    await scenario.until("another member leads PD", async () => {
        const { leader, term } = await scenario.pd.client
            .leadership()
            .catch(() => ({ leader: undefined, term: before }));
        return leader !== undefined && term !== before;
    });
    scenario.told.push(`${scenario.now} PD has another leader`);
    return scenario.now;
}
