import * as assert from "node:assert/strict";
import { serve, type Answer } from "../pd/server";
import { clientOf, done, errorOf, redirectFailed } from "./clients";
import { repeats } from "../../support/repeats";

// tikv/pd server/apiv2/handlers/micro_service.go and pkg/mcs/tso/server/apis/v1/api.go.

const server = (more: object) => ({ "git-hash": "None", "deploy-path": "/", "start-timestamp": 1, ...more });
const answer = (body: unknown, status = 200): Answer => ({ status, body: JSON.stringify(body, null, 4) });
const tso0 = "http://basic-tso-0.basic-tso-peer.tidb.svc:2379";

describe("PD client: microservices", () => {
    it("lists a service's servers, with the names that they have since 8.3.0", async () => {
        const asked: string[] = [];
        await using pd = await serve(({ method, path }) => {
            asked.push(`${method} ${path}`);
            return answer([
                server({ name: "basic-tso-0", "service-addr": tso0 }),
                server({ "service-addr": "http://b:1" }),
            ]);
        });
        using client = clientOf([pd.url]);
        assert.deepEqual(await client.serviceMembers("tso"), [
            { name: "basic-tso-0", address: tso0 },
            { name: "", address: "http://b:1" },
        ]);
        assert.deepEqual(asked, ["GET /pd/api/v2/ms/members/tso"]);
    });

    it("finds none if PD has none registered, and if PD does not run as microservices", async () => {
        for (const nothing of [answer("no members found", 404), { status: 404, body: "404 page not found" }]) {
            await using pd = await serve(() => nothing);
            using client = clientOf([pd.url]);
            assert.deepEqual(await client.serviceMembers("tso"), []);
            assert.equal(await client.servicePrimary("tso"), undefined);
        }
    });

    it("reads a service's primary", async () => {
        await using pd = await serve(({ path }) => answer(path.endsWith("/primary/tso") ? tso0 : ""));
        using client = clientOf([pd.url]);
        assert.equal(await client.servicePrimary("tso"), tso0);
        assert.equal(await client.servicePrimary("scheduling"), undefined);
    });

    it("asks a server only once to hand the primary over, because it would move twice", async () => {
        const asked: unknown[] = [];
        await using server0 = await serve(({ method, path, body }) => {
            asked.push([method, path, JSON.parse(body)]);
            return done;
        });
        using client = clientOf([server0.url]);
        await client.transferPrimary("tso", "basic-tso-1");
        assert.deepEqual(asked, [["POST", "/tso/api/v1/primary/transfer", { new_primary: "basic-tso-1" }]]);

        await using failing = await serve(() => redirectFailed);
        using other = clientOf([failing.url]);
        await errorOf(() => other.transferPrimary("tso", "basic-tso-1"));
        assert.equal(other.calls, 1);
    });

    it("names the intended primary if the server refuses", async () => {
        await using server0 = await serve(() => answer("no valid secondary to transfer primary", 500));
        using client = clientOf([server0.url]);
        const error = await errorOf(() => client.transferPrimary("tso", "basic-tso-7"));
        repeats(error.message, "basic-tso-7", "no valid secondary");
    });
});
