import * as assert from "node:assert/strict";
import { DriftEvents, driftEvent } from "../../../../controller/drift/driftEvents";
import type { ControllerLog } from "../../../../controller/controllerLog";
import type { DriftedObject } from "../../../../controller/drift/judgeDrift";
import { EventWriter } from "../../../../provider/cluster/journal/eventWriter";
import type { ObjectEvent } from "../../../../provider/lifecycle/journal/objectEvents";

const cluster = { namespace: "tidb", cluster: "basic" };

function drifted(type: string, more: Partial<DriftedObject> = {}): DriftedObject {
    return { urn: "urn", type, name: "one", namespace: "tidb", change: "edited", differs: [], ...more };
}

describe("The Event of an object that drifted", () => {
    const rows: [title: string, one: DriftedObject, on: string | undefined][] = [
        ["an edited one", drifted("kubernetes:core/v1:Service"), "tidb: v1 Service one"],
        [
            "an edited one of a group",
            drifted("kubernetes:cert-manager.io/v1:Certificate", { cluster }),
            "tidb: cert-manager.io/v1 Certificate one",
        ],
        [
            "a deleted one of a cluster, on its Lease",
            drifted("kubernetes:core/v1:Secret", { cluster, change: "deleted" }),
            "tidb: of the package Lease basic-pulumi-tidb",
        ],
        [
            "a deleted one of no cluster, which `kubectl get events` still shows",
            drifted("kubernetes:core/v1:Secret", { change: "deleted" }),
            "tidb: v1 Secret one",
        ],
        [
            "none of one without a namespace",
            drifted("kubernetes:core/v1:Namespace", { namespace: undefined }),
            undefined,
        ],
        ["none of a resource outside of Kubernetes", drifted("aws:s3/bucket:Bucket"), undefined],
    ];
    for (const [title, one, on] of rows) {
        it(`is on ${title}`, () => {
            const found = driftEvent(one, "somebody edited it", "prod");
            const { apiVersion = "of the package", kind, name } = found?.event.object ?? { kind: "", name: "" };
            assert.equal(found && `${found.namespace}: ${apiVersion} ${kind} ${name}`, on);
        });
    }

    it("is no longer than Kubernetes takes", () => {
        const { event } = driftEvent(drifted("kubernetes:core/v1:Service"), "x".repeat(3_000), "prod") ?? {};
        assert.ok(Buffer.byteLength(event?.note ?? "") <= 1_024);
        assert.match(event?.note ?? "", /^xxx/);
    });

    for (const count of [99, 100, 101, 250]) {
        it(`is written for ${count} objects of a namespace, or the last one says how many have none`, async () => {
            const written: ObjectEvent[] = [];
            const createEvent = (_: string, event: ObjectEvent): Promise<void> => {
                written.push(event);
                return Promise.resolve();
            };
            let failure: Promise<Error | undefined> = Promise.resolve(undefined);
            const write = (namespace: string, events: readonly ObjectEvent[]): Promise<Error | undefined> => {
                const writer = new EventWriter({ createEvent }, namespace, "somebody");
                writer.tell(events);
                return (failure = writer.written());
            };
            const objects = Array.from({ length: count }, (_, index) =>
                drifted("kubernetes:core/v1:Service", { name: `one-${index}` }),
            );
            new DriftEvents(write, {} as ControllerLog, "prod").tell(
                objects.map((one) => [one, `somebody edited Service ${one.name}`]),
            );
            assert.equal(await failure, undefined);
            assert.deepEqual(
                written.map((event) => event.object.name),
                objects.slice(0, 100).map(({ name }) => name),
            );
            const { note } = written[written.length - 1];
            if (count > 100) {
                assert.match(
                    note,
                    new RegExp(
                        `^and ${count - 100} more objects drifted, which the controller's log names\\. somebody edited Service one-99\\. Next: `,
                    ),
                );
            } else {
                assert.match(note, /^somebody edited/);
            }
        });
    }
});
