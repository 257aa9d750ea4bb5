import { inOneSandbox } from "../../support/e2e/arena";

inOneSandbox("clusters in ordinary operation", [
    "scaling",
    "smoothUpgrade",
    "firstDeployment",
    "cloudExamples",
    "leaving",
    "refresh",
    "onlineSettings",
]);
