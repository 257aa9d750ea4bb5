import { type JsonNameParams, Name } from "@peculiar/x509";
import { isObject, type PropertyValue } from "../../../sandbox/engine/values";

/** The fields of a subject in the order of a distinguished name, with their attribute types. */
const attributes: Readonly<Record<string, string>> = {
    country: "2.5.4.6",
    organization: "2.5.4.10",
    organizationalUnit: "2.5.4.11",
    locality: "2.5.4.7",
    province: "2.5.4.8",
    streetAddresses: "2.5.4.9",
    postalCode: "2.5.4.17",
    commonName: "2.5.4.3",
    serialNumber: "2.5.4.5",
    emailAddress: "1.2.840.113549.1.9.1",
};

/** A rule: a subject has no other fields. */
export function subjectProblem(subject: PropertyValue): string | undefined {
    const other = isObject(subject)
        ? Object.keys(subject).filter((field) => !field.startsWith("__") && !(field in attributes))
        : [];
    return other.length === 0 ? undefined : `${other.join(", ")} is not a field of a subject`;
}

/** @returns the distinguished name, or an empty one without a subject */
export function nameOf(subject: PropertyValue | undefined): Name {
    const given = isObject(subject) ? subject : {};
    return new Name(
        Object.entries(attributes).flatMap(([field, type]): JsonNameParams => {
            const value = given[field];
            const texts = (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).map(
                String,
            );
            return texts.length === 0 ? [] : [{ [type]: texts }];
        }),
    );
}
