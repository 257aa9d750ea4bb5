import { type Mutation, testsOf } from "./mutation";

const tests = testsOf.lifecycle("batches/batchBegins", "batches/batchWalk", "batches/batchProof");
const proof = "provider/lifecycle/stages/batches/batchProof.ts";
const isolation = "provider/lifecycle/stages/batches/isolation.ts";
const choose = "provider/lifecycle/stages/batches/chooseBatch.ts";

/** Rules about stores that restart side by side. */
export const ofBatches: readonly Mutation[] = [
    {
        name: "a batch goes on while another store is down",
        file: proof,
        find: "!ids.includes(store.id) && !isUp(store));",
        replace: "!ids.includes(store.id) && !isUp(store) && store.id === 0);",
        tests,
    },
    {
        name: "a batch is proven by a PD that was just elected",
        file: proof,
        find: "const leadership = settledLeadership(observation);",
        replace: "const { leadership } = observation.pd;",
        tests,
    },
    {
        name: "stores of several places are one batch by PD's gauge",
        file: proof,
        find: "if (places.size !== 1 || places.has(undefined)) {",
        replace: "if (places.has(undefined)) {",
        tests,
    },
    {
        name: "regions that lack something are not judged without the whole batch",
        file: proof,
        find: "    if (short === 0) {\n",
        replace: "    if (short >= 0) {\n",
        tests,
    },
    {
        name: "more regions lack something than can be judged one by one, and the batch begins",
        file: proof,
        find: "if (short > mostShortRegions) {",
        replace: "if (short > mostShortRegions * 1e9) {",
        tests,
    },
    {
        name: "of a region in a batch only one store counts as missing",
        file: proof,
        find: "!isBehind && !ids.includes(storeId) && stores",
        replace: "!isBehind && ids[0] !== storeId && stores",
        tests,
    },
    {
        name: "a voter that lags behind counts as one that stays",
        file: proof,
        find: "!isBehind && !ids.includes(storeId)",
        replace: "!ids.includes(storeId)",
        tests,
    },
    {
        name: "a voter on a store that PD does not list counts as one that stays",
        file: proof,
        find: " && stores.some((store) => store.id === storeId && isUp(store));",
        replace: " && stores.length > 0;",
        tests,
    },
    {
        name: "a list that lacks regions of a store proves a batch",
        file: proof,
        find: "peersOn(regions, id) < regionCount",
        replace: "peersOn(regions, id) < 0 * regionCount",
        tests,
    },
    {
        name: "PD's gauge counts although its counts do not add up to the number of regions",
        file: isolation,
        find: "if (sum !== regionCount || regionCount === 0) {",
        replace: "if (regionCount === 0) {",
        tests,
    },
    {
        name: "regions that no location label tells apart count as isolated",
        file: isolation,
        find: "const odd = levels.find(([label]) => !locationLabels.includes(label));",
        replace: 'const odd = levels.find(([label]) => label !== "none" && !locationLabels.includes(label));',
        tests,
    },
    {
        name: "the coarsest level of PD's gauge counts for all regions",
        file: isolation,
        find: "const finest = Math.max(",
        replace: "const finest = Math.min(",
        tests,
    },
    {
        name: "PD's gauge proves a batch although other placement rules place voters",
        file: isolation,
        find: "if (special) {",
        replace: 'if (special?.group === "none") {',
        tests,
    },
    {
        name: "PD's gauge proves a batch of regions with two voters",
        file: isolation,
        find: "const fewestVotersOfBatch = 3;",
        replace: "const fewestVotersOfBatch = 2;",
        tests,
    },
    {
        name: "a store without a zone counts as one of its own zone",
        file: isolation,
        find: 'return path.length === 0 || path.includes("") ? undefined',
        replace: "return path.length === 0 ? undefined",
        tests,
    },
    {
        name: "zones of one name in two regions are one zone",
        file: isolation,
        find: "locationLabels.slice(0, locationLabels.indexOf(upTo) + 1)",
        replace: "locationLabels.slice(locationLabels.indexOf(upTo), locationLabels.indexOf(upTo) + 1)",
        tests,
    },
    {
        name: "a zone restarts although regions are isolated by host only",
        file: choose,
        find: "if (locationLabels.indexOf(isolates) > locationLabels.indexOf(label)) {",
        replace: "if (locationLabels.indexOf(isolates) > 99) {",
        tests: [...tests, "tests/unit/lifecycle/batches/batchPlan.test.ts"],
    },
    {
        name: "a scan takes each store of the number, proven or not",
        file: choose,
        find: "if (lost === undefined && batch.length < most) {",
        replace: "if (batch.length < most) {",
        tests,
    },
    {
        name: "the stores of a batch that is no longer proven may be down side by side",
        file: "provider/lifecycle/stages/batches/batchMates.ts",
        find: 'return found !== undefined && "proof" in found ? ids',
        replace: "return found !== undefined ? ids",
        tests,
    },
    {
        name: "a batch on record goes on although the program no longer asks for batches",
        file: "provider/lifecycle/stages/batches/batchMates.ts",
        find: "batch === undefined || parallelism === 1",
        replace: "batch === undefined || parallelism === 0",
        tests,
    },
    {
        name: "the stores of a batch restart before the leaders of all have left",
        file: "provider/lifecycle/walks/batchWalk.ts",
        find: "...(before.length > 0 ? before : movesOf(stale, stagesOf, memory))",
        replace: "...movesOf(stale, stagesOf, memory)",
        tests,
    },
    {
        name: "a second batch begins before the first one is over",
        file: "provider/lifecycle/stages/batches/batchDecided.ts",
        find: "const choice = batchOnRecord(view) === undefined ? batchBeginningWith(view) : undefined;",
        replace: "const choice = batchBeginningWith(view);",
        tests,
    },
];
