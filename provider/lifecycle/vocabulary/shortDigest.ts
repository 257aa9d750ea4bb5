import { createHash } from "node:crypto";

/** How long a digest is, in hexadecimal digits: long enough that two plans do not meet, short enough to type. */
export const shortDigestLength = 12;

/** @returns the first digits of the text's SHA-256, for people to compare and to type. */
export function shortDigest(text: string): string {
    return createHash("sha256").update(text).digest("hex").slice(0, shortDigestLength);
}
