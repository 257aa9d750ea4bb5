import type { PemData } from "@peculiar/x509";

/** Encodes as PEM, with the trailing newline that the package promises. */
export function pem(data: PemData<unknown>): string {
    return `${data.toString("pem").trim()}\n`;
}
