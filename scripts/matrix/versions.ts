/** A set of versions of Pulumi's packages that are installed together. */
export interface Column {
    readonly title: string;
    readonly packages: Readonly<Record<string, string>>;
}

/** The lowest versions that package.json allows, and the newest of the same major versions. */
export const columns: readonly Column[] = [
    { title: "lowest", packages: { "@pulumi/pulumi": "3.248.0", "@pulumi/kubernetes": "4.32.0" } },
    // npm prefers the version tagged `latest` if the range has it, and a registry's tag may be old. These ranges exclude it.
    { title: "newest", packages: { "@pulumi/pulumi": ">3.248.0 <4", "@pulumi/kubernetes": ">4.32.0 <5" } },
];

/** The first Node.js that package.json allows, and the newest of each line with long-term support. */
export const nodes = ["20.0.0", "20", "22", "24"];

/** Pulumi's SDK accepts TypeScript 3.8 to 6. */
export const typescripts = ["5.0", "5.9", "6.0"];
