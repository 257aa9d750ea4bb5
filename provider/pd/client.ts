import type { PdClient, PdClientOptions } from "./model";

/** Makes a client for the PD of one cluster. Sends nothing yet. */
export function createPdClient(_options: PdClientOptions): PdClient {
    throw new Error("not built yet");
}
