export { type LiveGate, tidbMocks, type TidbMocksOptions } from "./tidbMocks";
