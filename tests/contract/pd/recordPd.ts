import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { decodeWire, encodeWire } from "../../../provider/pd/json";
import { findPdServer, type RealPd, startPd } from "./realPd";
import { type RealStores, startStores } from "./realStores";
import { type Line, readRecording, recordingFile } from "./recording";

/**
 * Records what a real PD of three members answers to the calls of another version's recording, one after the other:
 * `PULUMI_TIDB_PD_SERVER=FILE npx tsx tests/contract/pd/recordPd.ts 8.5.4 8.5.8`, about two minutes.
 */
async function main(from: string, to: string): Promise<void> {
    const asked = readRecording(from);
    const pd = await startPd(findPdServer() ?? "pd-server", 3);
    const stores = await startStores({
        members: pd.endpoints.map(({ url }) => url),
        clusterId: await pd.client.clusterId(),
        ids: [1, 2, 3, 4, 5, 6],
        labels: () => ({}),
        regions: 60,
        regionHeartbeatMilliseconds: 10_000,
        storeHeartbeatMilliseconds: 2_000,
        reconnect: "resends",
    });
    const answered: Line[] = [];
    try {
        await pd.client.transferLeader("pd-2");
        await pause(3_000);
        for (const line of asked) {
            await happens[line.note]?.(pd, stores);
            answered.push(await ask(pd.urlOf("pd-0"), line));
        }
    } finally {
        stores.close();
        await pd.close();
    }
    const lines = answered.map((line) => encodeWire(line));
    writeFileSync(recordingFile(to), `[\n${lines.join(",\n")}\n]\n`);
}

/** What happens to PD before a call, by the call's note. */
const happens: Record<string, (pd: RealPd, stores: RealStores) => Promise<void>> = {
    "the new leader": () => pause(3_000),
    "right after, may be none": () => pause(200),
    "member: delete one that is not there": () => pause(5_000),
    "all stores silent for 25 s: Disconnected": async (_pd, stores) => {
        stores.close();
        await pause(25_000);
    },
    "silent beyond max-store-down-time: Down": () => pause(20_000),
    "a follower is dead": async (pd) => {
        await pd.client.transferLeader("pd-2");
        await pause(3_000);
        await pd.stopMember("pd-1");
        await pause(3_000);
    },
    "two members left": () => pause(3_000),
    "quorum just lost": (pd) => pd.stopMember("pd-2"),
    "no quorum": () => pause(4_000),
};

async function ask(url: string, { note, method, path, request }: Line): Promise<Line> {
    const body = request === undefined ? undefined : encodeWire(request);
    const answer = await fetch(`${url}${path}`, { method, body });
    const text = await answer.text();
    const contentType = answer.headers.get("content-type");
    const isJson = contentType?.startsWith("application/") ?? false;
    return {
        note,
        method,
        path,
        ...(request === undefined ? {} : { request }),
        status: answer.status,
        contentType,
        response: isJson ? decodeWire(text.replace(/"deploy_path": *"[^"]*"/g, '"deploy_path": "/"')) : text,
    };
}

const [from, to] = process.argv.slice(2);
main(from, to).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
});
