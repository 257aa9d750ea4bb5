import { type Extension, type JsonGeneralName, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { isIP } from "node:net";
import type { PropertyMap, PropertyValue } from "../../../sandbox/engine/values";
import type { InputRule } from "./resourceKind";

/** The inputs for names other than the subject's. */
export const alternativeNameInputs: Record<string, InputRule> = {
    dnsNames: {},
    ipAddresses: { problem: (value) => refused(value, (text) => isIP(text) !== 0, "an IP address") },
    uris: { problem: (value) => refused(value, (text) => URL.canParse(text), "a URI") },
};

function refused(value: PropertyValue, isGood: (text: string) => boolean, expected: string): string | undefined {
    const bad = (value as string[]).filter((text) => !isGood(text));
    return bad.length === 0 ? undefined : `${bad.join(", ")}: each must be ${expected}`;
}

/** @returns the extension for the names, or none without names; it is critical if the names replace the subject */
export function alternativeNames(inputs: PropertyMap, hasSubject: boolean): Extension[] {
    const names = (input: string, type: JsonGeneralName["type"]) =>
        ((inputs[input] ?? []) as string[]).map((value): JsonGeneralName => ({ type, value }));
    const all = [...names("dnsNames", "dns"), ...names("ipAddresses", "ip"), ...names("uris", "url")];
    return all.length === 0 ? [] : [new SubjectAlternativeNameExtension(all, !hasSubject)];
}
