import { setTimeout as pause } from "node:timers/promises";
import { followerOf } from "../pd/realElection";
import type { Stage } from "./stage";

/** Changes of PD's leader. Each returns when the other one was seen to lead, in seconds since the stage was set. */

/** A follower that has run all the while takes over. */
export async function transfer(stage: Stage): Promise<number> {
    return handTo(stage, followerOf(stage.pd, await leaderOf(stage)));
}

/** The leader is ended without a goodbye; PD elects another one. */
export async function kill(stage: Stage): Promise<number> {
    const { term } = await stage.pd.client.leadership();
    await stage.pd.stopMember(await leaderOf(stage));
    return untilAnotherLeads(stage, term);
}

/** Until a follower has written down which regions it knows. What it has not, the leader sends it, leaders included. */
const writtenDownMilliseconds = 14_000;

/** Ends a follower and starts it again: it knows all regions then, and no leaders of them. @returns its name */
export async function restartFollower(stage: Stage): Promise<string> {
    await pause(writtenDownMilliseconds);
    const follower = followerOf(stage.pd, await leaderOf(stage));
    await stage.pd.stopMember(follower);
    stage.pd.startMember(follower);
    await pause(3000);
    await stage.until(`${follower} is healthy`, async () =>
        (await stage.pd.client.health()).every(({ healthy }) => healthy),
    );
    return follower;
}

export async function handTo(stage: Stage, member: string): Promise<number> {
    const { term } = await stage.pd.client.leadership();
    await stage.pd.client.transferLeader(member);
    return untilAnotherLeads(stage, term);
}

async function leaderOf({ pd }: Stage): Promise<string> {
    return (await pd.client.members()).leader!.name;
}

async function untilAnotherLeads(stage: Stage, before: string): Promise<number> {
    await stage.until("another member leads PD", async () => {
        const { leader, term } = await stage.pd.client.leadership().catch(() => ({ leader: undefined, term: before }));
        return leader !== undefined && term !== before;
    });
    stage.told.push(`${stage.now} PD has another leader`);
    return stage.now;
}
