import { setTimeout as pause } from "node:timers/promises";
import { faithfulTimings } from "../../../sandbox/dataPlane";
import { parseRegionStatus } from "../../../provider/pd/regionStatus";
import { askedPd } from "../../support/pdQuestions";
import { isolationContract, type IsolationSubject, type Placement } from "./isolationContract";
import { withPdServer, type RealPd, startPd } from "./realPd";
import { type RealStores, startStores } from "./realStores";

const regions = 600;
/** The zones of the six stores: the simulator keeps a region on other stores than the played ones, which take three in a row. */
const simulated: Record<Placement, string> = { isolated: "aabbcc", crowded: "ababcc" };
const played: Record<Placement, string> = { isolated: "abcabc", crowded: "aabbcc" };

isolationContract("the simulator", (placement) => {
    const pd = askedPd({ stores: 6, regions, timings: { ...faithfulTimings } });
    pd.ask("POST", "/pd/api/v1/config", { "location-labels": "zone,host" });
    const ids = pd.cluster.stores().map(({ id }) => id);
    ids.forEach((id, at) => {
        pd.ask("POST", `/pd/api/v1/store/${id}/label`, { zone: simulated[placement][at], host: `h${id}` });
    });
    return Promise.resolve({
        status: () => Promise.resolve(parseRegionStatus(pd.ask("GET", "/metrics").body)),
        regionCount: () => Promise.resolve(regions),
        lead: (to) => Promise.resolve(pd.lead(`basic-pd-${to}`)),
        wait: (seconds) => Promise.resolve(pd.clock.advance(seconds * 1000)),
        close: () => Promise.resolve(),
    });
});

withPdServer("how PD says that regions are isolated: a real pd-server", (command) => {
    isolationContract(`a real ${command}`, (placement) => begin(command, played[placement]));
});

async function begin(pdServer: string, zoneOf: string): Promise<IsolationSubject> {
    const pd = await startPd(pdServer, 3);
    const stores = await playStores(pd, zoneOf).catch(async (error: unknown) => {
        await pd.close();
        throw error;
    });
    const lead = async (to: number): Promise<void> => {
        const name = pd.endpoints[to].name;
        if ((await pd.client.members()).leader?.name !== name) {
            await pd.client.transferLeader(name);
        }
        while ((await pd.client.members()).leader?.name !== name) {
            await pause(100);
        }
    };
    // Any member may win the first election. A leader that is asked to lead stays it, and goes on to say what it has counted.
    await lead(0);
    return {
        status: () => pd.client.regionStatus(),
        regionCount: () => pd.client.regionCount(),
        lead,
        wait: (seconds) => pause(seconds * 1000),
        close: async () => {
            stores.close();
            await pd.close();
        },
    };
}

async function playStores({ client, endpoints }: RealPd, zoneOf: string): Promise<RealStores> {
    const stores = await startStores({
        members: endpoints.map(({ url }) => url),
        clusterId: await client.clusterId(),
        ids: [1, 2, 3, 4, 5, 6],
        labels: (id) => ({ zone: zoneOf[id - 1], host: `h${id}` }),
        regions,
        regionHeartbeatMilliseconds: 5000,
        storeHeartbeatMilliseconds: 1000,
        reconnect: "resends",
    });
    try {
        // PD takes a configuration only once a store has registered.
        await client.setConfig({ "replication.location-labels": "zone,host" });
        return stores;
    } catch (error) {
        stores.close();
        throw error;
    }
}
