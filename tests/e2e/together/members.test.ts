import { inOneSandbox } from "../../support/e2e/arena";

inOneSandbox("clusters of different members", ["cdc", "microservices", "tiproxy", "tiflash", "pump"]);
