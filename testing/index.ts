export type { LiveGate } from "./gateState";
export { tidbMocks } from "./tidbMocks";
export type { TidbMocksOptions } from "./tidbMocksOptions";
export { valueOf } from "./valueOf";
