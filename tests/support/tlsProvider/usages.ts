import { type Extension, ExtendedKeyUsageExtension, KeyUsageFlags, KeyUsagesExtension } from "@peculiar/x509";

/** The package's names for key usages and extended key usages (RFC 5280, 4.2.1.3 and 4.2.1.12). */
const keyUsages: Readonly<Record<string, KeyUsageFlags>> = {
    digital_signature: KeyUsageFlags.digitalSignature,
    content_commitment: KeyUsageFlags.nonRepudiation,
    key_encipherment: KeyUsageFlags.keyEncipherment,
    data_encipherment: KeyUsageFlags.dataEncipherment,
    key_agreement: KeyUsageFlags.keyAgreement,
    cert_signing: KeyUsageFlags.keyCertSign,
    crl_signing: KeyUsageFlags.cRLSign,
    encipher_only: KeyUsageFlags.encipherOnly,
    decipher_only: KeyUsageFlags.decipherOnly,
};
const purposes: Readonly<Record<string, string>> = {
    any_extended: "2.5.29.37.0",
    server_auth: "1.3.6.1.5.5.7.3.1",
    client_auth: "1.3.6.1.5.5.7.3.2",
    code_signing: "1.3.6.1.5.5.7.3.3",
    email_protection: "1.3.6.1.5.5.7.3.4",
    ipsec_end_system: "1.3.6.1.5.5.7.3.5",
    ipsec_tunnel: "1.3.6.1.5.5.7.3.6",
    ipsec_user: "1.3.6.1.5.5.7.3.7",
    timestamping: "1.3.6.1.5.5.7.3.8",
    ocsp_signing: "1.3.6.1.5.5.7.3.9",
    microsoft_server_gated_crypto: "1.3.6.1.4.1.311.10.3.3",
    netscape_server_gated_crypto: "2.16.840.1.113730.4.1",
    microsoft_commercial_code_signing: "1.3.6.1.4.1.311.2.1.22",
    microsoft_kernel_code_signing: "1.3.6.1.4.1.311.61.1.1",
};

export const allowedUses: readonly string[] = [...Object.keys(keyUsages), ...Object.keys(purposes)].sort();

/** @returns the extensions for the usages */
export function usageExtensions(uses: readonly string[]): Extension[] {
    const flags = uses.reduce((sum, use) => sum | (keyUsages[use] ?? 0), 0);
    const extended = uses.flatMap((use) => purposes[use] ?? []);
    return [
        ...(flags === 0 ? [] : [new KeyUsagesExtension(flags, true)]),
        ...(extended.length === 0 ? [] : [new ExtendedKeyUsageExtension(extended)]),
    ];
}
