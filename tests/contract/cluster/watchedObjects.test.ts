import * as assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { KubernetesListObject, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { WatchedObjects } from "../../../provider/cluster/watch/watchedObjects";
import type { WatchTimes } from "../../../provider/cluster/watch/watchTimes";
import { type LoopbackServer, startLoopbackServer } from "./loopbackServer";

/** The API server asks for nothing here but what its answers begin and end with. */
describe("a request of a watch", function () {
    this.timeout(30_000);
    /** Long enough that none of them passes in a test, except those that it sets. */
    const long: WatchTimes = {
        requestSeconds: 60,
        deadlineMilliseconds: 25_000,
        earliestEndMilliseconds: 0,
        firstPauseMilliseconds: 25_000,
        lastPauseMilliseconds: 25_000,
    };
    let server: LoopbackServer;
    /** When each request came, and where it begins. */
    let requests: { at: number; from: string | null; seconds: string | null; response: ServerResponse }[];
    let lists: number;
    let list: () => Promise<KubernetesListObject<V1Pod>>;
    let answer: (response: ServerResponse, nth: number) => void;
    let watched: WatchedObjects<V1Pod>;
    /** What was known after each change. */
    let known: boolean[];

    beforeEach(async () => {
        [requests, lists, known] = [[], 0, []];
        list = () => Promise.resolve({ metadata: { resourceVersion: `${lists}` }, items: [] });
        server = await startLoopbackServer(({ url = "" }, response) => {
            const { searchParams } = new URL(url, "http://localhost");
            const [from, seconds] = [searchParams.get("resourceVersion"), searchParams.get("timeoutSeconds")];
            requests.push({ at: performance.now(), from, seconds, response });
            answer(response, requests.length);
        });
    });
    afterEach(async () => {
        await watched.stop();
        await server.close();
    });

    async function begin(
        times: Partial<WatchTimes>,
        change = (config: Awaited<ReturnType<typeof loadKubeConfig>>) => config,
    ) {
        watched = await WatchedObjects.begin<V1Pod>(
            change(await loadKubeConfig({ kubeconfig: server.kubeconfig })),
            {
                path: "/api/v1/namespaces/tidb/pods",
                list: () => {
                    lists += 1;
                    return list();
                },
            },
            () => known.push(watched.objects() !== undefined),
            { ...long, ...times },
        );
    }
    const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    async function until(isSo: () => boolean): Promise<void> {
        for (const end = Date.now() + 20_000; !isSo(); await pause(5)) {
            assert.ok(Date.now() < end, "it does not become so");
        }
    }
    const open = (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.flushHeaders();
    };
    const openFor = (response: ServerResponse, milliseconds: number, event?: object) => {
        open(response);
        setTimeout(() => response.end(event && `${JSON.stringify(event)}\n`), milliseconds);
    };
    const errorEvent = (code: number, message: string) => ({
        type: "ERROR",
        object: { kind: "Status", code, message, metadata: {} },
    });
    const noLeader = errorEvent(500, "etcdserver: no leader");

    it("that ends on time is followed by the next one at once, and nothing is unknown in between", async () => {
        answer = (response) => openFor(response, 100);
        await begin({ earliestEndMilliseconds: 50 });
        await until(() => requests.length > 3);
        assert.deepEqual([lists, known], [1, [true]]);
        assert.equal(requests[0].seconds, "60");
    });

    it("that the API server accepts and never answers is ended after the same time as one that is dead later on", async () => {
        const closed: number[] = [];
        answer = (response, nth) => {
            response.on("close", () => closed.push(nth));
            if (nth === 1) {
                openFor(response, 50);
            } else if (nth > 2) {
                open(response);
            }
        };
        await begin({ deadlineMilliseconds: 500, firstPauseMilliseconds: 100 });
        // The second one was never answered, the third one falls silent.
        await until(() => requests.length > 3);
        assert.deepEqual(closed.slice(0, 3), [1, 2, 3]);
        assert.deepEqual(known.slice(0, 4), [true, false, true, false]);
        assert.ok(requests[2].at - requests[1].at > 500 && requests[3].at - requests[2].at > 500);
    });

    const endings: [string, (response: ServerResponse) => void][] = [
        ["ends with an error event", (response) => openFor(response, 0, noLeader)],
        ["ends much too early", (response) => openFor(response, 0)],
        ["ends with an error event that says 410 Gone", (response) => openFor(response, 0, errorEvent(410, "old"))],
        ["is refused with 410 Gone", (response) => response.writeHead(410).end()],
        ["is refused", (response) => response.writeHead(503).end()],
    ];
    for (const [what, end] of endings) {
        it(`that ${what} is a break: nothing is known until the next one, and the pauses grow`, async () => {
            answer = end;
            await begin({ firstPauseMilliseconds: 50, lastPauseMilliseconds: 200, earliestEndMilliseconds: 10_000 });
            await until(() => requests.length > 5 && known.at(-1) === false);
            assert.equal(watched.objects(), undefined);
            const between = requests.slice(1).map(({ at }, n) => at - requests[n].at);
            [50, 100, 200, 200].forEach((least, n) => assert.ok(between[n] >= least - 5, `${between.join(", ")} ms`));
            // After 410 the point is not known any more, otherwise the watch goes on where it was.
            assert.deepEqual(
                requests.slice(0, 3).map(({ from }) => from),
                what.includes("410") ? ["1", "2", "3"] : ["1", "1", "1"],
            );
        });
    }

    it("that ends with an error event after a while is a break too, and the pauses begin with the first one again", async () => {
        answer = (response, nth) => openFor(response, nth === 5 ? 300 : 0, noLeader);
        await begin({ firstPauseMilliseconds: 100, lastPauseMilliseconds: 25_000, earliestEndMilliseconds: 200 });
        await until(() => requests.length > 5);
        const between = requests[5].at - requests[4].at;
        // The request lasted for 300 ms. After four breaks the next pause would be 1,600 ms.
        assert.ok(between >= 395 && between < 1_700, `${between} ms`);
    });

    it("that cannot begin, because a credential is refused, is a break", async () => {
        answer = open;
        let refusals = 2;
        await begin({ firstPauseMilliseconds: 20 }, (config) => {
            const original = config.applyToFetchOptions.bind(config);
            config.applyToFetchOptions = (options) =>
                refusals-- > 0 ? Promise.reject(new Error("the credential plugin failed")) : original(options);
            return config;
        });
        await until(() => watched.objects() !== undefined);
        assert.deepEqual([known, requests.length], [[false, false, true], 1]);
    });

    describe("does not begin after the watch was stopped", () => {
        it("during the pause after a break", async () => {
            answer = open;
            list = () => Promise.reject(new Error("the API server is gone"));
            await begin({ firstPauseMilliseconds: 100 });
            await until(() => known.length > 0);
            await watched.stop();
            await pause(400);
            assert.deepEqual([lists, requests.length, watched.objects()], [1, 0, undefined]);
        });

        it("during the list", async () => {
            let listed: () => void = () => undefined;
            list = () =>
                new Promise((resolve) => {
                    listed = () => resolve({ metadata: { resourceVersion: "1" }, items: [] });
                });
            answer = open;
            await begin({});
            await until(() => lists > 0);
            await watched.stop();
            listed();
            await pause(300);
            assert.deepEqual([requests.length, watched.objects()], [0, undefined]);
        });

        it("and the one that waits for its answer is ended", async () => {
            let isClosed = false;
            answer = (response) => response.on("close", () => (isClosed = true));
            await begin({ firstPauseMilliseconds: 50 });
            await until(() => requests.length > 0);
            await watched.stop();
            await until(() => isClosed);
            await pause(300);
            assert.deepEqual([requests.length, known, watched.objects()], [1, [], undefined]);
        });
    });
});
