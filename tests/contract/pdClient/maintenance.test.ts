import * as assert from "node:assert/strict";
import type { PdMaintenanceTask } from "../../../provider/pd";
import { type Answer, serve } from "../pd/server";
import { clientOf, errorOf } from "./clients";

/** PD's own words, from the tests of tikv/pd (tests/server/apiv2/handlers/maintenance_test.go). */
const conflict = (task: object): Answer => ({
    status: 409,
    body: JSON.stringify({ error: "Another maintenance task is already running", existing_task: task }),
});
const started: Answer = { status: 200, body: '"The maintenance task is started successfully."' };
const unknownRoute: Answer = { status: 404, body: "404 page not found", contentType: "text/plain" };

const own: PdMaintenanceTask = { type: "pulumi-tidb", id: "tidb.basic.1", description: "roll out basic-tikv" };
const other = { type: "tikv_upgrade", id: "store-1", start_timestamp: 1, description: "by hand" };

describe("PD client: a maintenance task", () => {
    it("begins with its description as plain text", async () => {
        await using pd = await serve(() => started);
        using client = clientOf([pd.url]);
        assert.equal(await client.beginMaintenance(own), "begun");
        const [{ method, path, body }] = pd.received;
        assert.deepEqual(
            [method, path, body],
            ["PUT", "/pd/api/v2/maintenance/pulumi-tidb/tidb.basic.1", "roll out basic-tikv"],
        );
    });
    it("is unknown to a PD that does not support it", async () => {
        await using pd = await serve(() => unknownRoute);
        using client = clientOf([pd.url]);
        assert.equal(await client.beginMaintenance(own), "unknown");
        await client.endMaintenance(own);
    });
    it("can begin again after a killed run left it", async () => {
        const running = { ...own, start_timestamp: 1 };
        await using pd = await serve(({ method }) =>
            method === "PUT" ? conflict(running) : { status: 200, body: JSON.stringify([running]) },
        );
        using client = clientOf([pd.url]);
        assert.equal(await client.beginMaintenance(own), "begun");
    });
    it("is listed with all others, and none by a PD that does not support it", async () => {
        await using pd = await serve(() => ({ status: 200, body: JSON.stringify([{ ...own, start_timestamp: 1 }]) }));
        using client = clientOf([pd.url]);
        assert.deepEqual(await client.maintenanceTasks(), [own]);
        await using older = await serve(() => unknownRoute);
        using olderClient = clientOf([older.url]);
        assert.deepEqual(await olderClient.maintenanceTasks(), []);
    });
    it("of somebody else is named", async () => {
        await using pd = await serve(({ method }) =>
            method === "PUT" ? conflict(other) : { status: 200, body: JSON.stringify([other]) },
        );
        using client = clientOf([pd.url]);
        const { type, id, description } = other;
        assert.deepEqual(await client.beginMaintenance(own), { type, id, description });
    });
    it("is requested again if it ended during the request", async () => {
        let asked = 0;
        await using pd = await serve(({ method }) =>
            method === "PUT" ? (asked++ === 0 ? conflict(other) : started) : unknownRoute,
        );
        using client = clientOf([pd.url]);
        assert.equal(await client.beginMaintenance(own), "begun");
    });
    it("ends, but stays with somebody else if the id differs", async () => {
        await using pd = await serve(({ path }) => (path.endsWith("/tidb.basic.1") ? started : conflict(other)));
        using client = clientOf([pd.url]);
        await client.endMaintenance(own);
        await errorOf(() => client.endMaintenance({ type: "tikv_upgrade", id: "wrong" }));
    });
});
