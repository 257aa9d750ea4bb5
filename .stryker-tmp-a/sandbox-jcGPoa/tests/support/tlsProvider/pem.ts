import type { PemData } from "@peculiar/x509";

/** In PEM, with the line end that the package promises. */
export function pem(data: PemData<unknown>): string {
    return `${data.toString("pem").trim()}\n`;
}
