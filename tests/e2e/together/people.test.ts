import { inOneSandbox } from "../../support/e2e/arena";

inOneSandbox("updates and the people behind them", [
    "password",
    "twoRuns",
    "approval",
    "recoveryMode",
    "deletedClaims",
]);
