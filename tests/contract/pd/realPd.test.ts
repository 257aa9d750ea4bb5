import { pdContract, pdNotBootstrappedContract, type PdSubject } from "./pdContract";
import { findPdServer, startPd } from "./realPd";
import { registerStores } from "./realStores";

const command = findPdServer();

if (command === undefined) {
    describe("PD contract: a real pd-server", () => {
        it.skip("not run: no pd-server found on PATH, nor by PULUMI_TIDB_PD_SERVER");
    });
} else {
    pdNotBootstrappedContract(`a real ${command}, one member`, () => startPd(command, 1));
    pdContract(`a real ${command}, three members`, () => connect(command));
}

async function connect(pdServer: string): Promise<PdSubject> {
    const pd = await startPd(pdServer, 3);
    try {
        const { leader } = await pd.client.members();
        const address = new URL(leader!.clientUrls[0]).host;
        const stores = await registerStores(address, await pd.client.clusterId(), [14, 11, 12, 13]);
        stores.close();
    } catch (error) {
        await pd.close();
        throw error;
    }
    return {
        client: pd.client,
        members: pd.endpoints.map(({ name }) => name),
        // The first one registered holds the only region; the others are drained from the start.
        stores: { evict: [11, 12], remove: 14, drain: 13 },
        unknownStore: 999,
        live: true,
        stopMember: pd.stopMember,
        close: pd.close,
    };
}
