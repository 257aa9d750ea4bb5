/** What the certificate of all PD members is for, as tidb-operator's documentation has it, but for this machine's addresses. */
export const memberNames = ["basic-pd", "*.basic-pd-peer.tidb.svc"];

/** The name that a member's certificate is checked against. */
export function serverName(member: string): string {
    return `${member}.basic-pd-peer.tidb.svc`;
}
