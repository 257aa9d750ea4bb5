import * as messages from "@pulumi/pulumi/proto/resource_pb";
import * as assert from "node:assert/strict";
import { Value } from "google-protobuf/google/protobuf/struct_pb";
import { refuseUnsupported } from "../../../sandbox/engine/unsupported";

/** A resource as the SDK registers it, with an empty message for the timeouts. */
function request(): messages.RegisterResourceRequest {
    return new messages.RegisterResourceRequest()
        .setType("aws:s3:Bucket")
        .setName("data")
        .setCustomtimeouts(new messages.RegisterResourceRequest.CustomTimeouts());
}

describe("engine: unsupported options", () => {
    it("accepts a resource without such options", () => refuseUnsupported(request()));

    const timeouts = new messages.RegisterResourceRequest.CustomTimeouts().setDelete("5m");
    const refused: [string, messages.RegisterResourceRequest, RegExp][] = [
        ["a remote component", request().setRemote(true), /the remote component aws:s3:Bucket data/],
        ["import", request().setImportid("id"), /the option import of aws:s3:Bucket data/],
        ["customTimeouts", request().setCustomtimeouts(timeouts), /the option customTimeouts of aws:s3:Bucket data/],
        ["replacementTrigger", request().setReplacementTrigger(new Value()), /the option replacementTrigger of aws/],
    ];
    for (const [option, given, message] of refused) {
        it(`refuses ${option} by name`, () => {
            assert.throws(() => refuseUnsupported(given), { message });
        });
    }
});
