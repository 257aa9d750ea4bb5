import { BrError } from "../errors";
import { type S3Call, s3Failure } from "./s3Failure";
import type { S3Place } from "./storageUrl";

/**
 * Asks where a bucket is, and compares (`NewS3Storage` in br/pkg/storage/s3.go, v8.5). BR asks only Amazon, which is also the
 * provider if none is given.
 */
export async function checkRegion(place: S3Place, call: S3Call): Promise<void> {
    if (place.provider !== undefined && place.provider !== "aws") {
        return;
    }
    const failed = (message: string): BrError =>
        new BrError(`failed to get region of bucket ${place.bucket}: ${message}`);
    let answer: Response;
    try {
        answer = await call("HEAD", "");
    } catch (error) {
        throw failed((error as Error).message);
    }
    // S3 names the region in refusals too, as the client may have signed for another one.
    const region = answer.headers.get("x-amz-bucket-region");
    if (region === null && !answer.ok) {
        throw failed((await s3Failure(answer)).message);
    }
    if (place.region !== undefined && region !== null && place.region !== region) {
        throw new BrError(
            `s3 bucket and region are not matched, bucket=${place.bucket}, input region=${place.region}, real region=${region}`,
        );
    }
}
