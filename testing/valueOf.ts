import * as pulumi from "@pulumi/pulumi";

/** What Pulumi's SDK has in each Output, but does not declare. */
interface Inner<T> {
    promise(): Promise<T>;
}

/**
 * Returns the value of an output in a unit test. In contrast to `output.apply`, which never calls its function if a resource
 * failed, it is rejected then: a test fails with the reason, and does not wait until its timeout.
 *
 * @param output An output, such as `cluster.ready`, or a plain value.
 * @throws Error if the resource that the output is of could not be registered, for example because `tidbMocks` refused it.
 */
export async function valueOf<T>(output: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> {
    return (pulumi.output(output) as unknown as Inner<pulumi.Unwrap<T>>).promise();
}
