import { inOneSandbox, manyLeaders } from "../../support/e2e/arena";

inOneSandbox("clusters whose stores lead many regions", ["rollout", "sweep"], manyLeaders);
