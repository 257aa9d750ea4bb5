import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Bounds {
    readonly type?: string;
    readonly values?: string;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly enum?: readonly string[];
    readonly required?: readonly string[];
    readonly itemRequired?: readonly string[];
}

const file = join(__dirname, "../fixtures/v1alpha1-bounds.json");

/** The fields of v1alpha1 by their paths: those with a value of their own, and those around them. */
export const bounds = (JSON.parse(readFileSync(file, "utf8")) as { fields: Readonly<Record<string, Bounds>> }).fields;

const paths = Object.keys(bounds);

/** The paths of the fields with a value of their own. */
export const fields = paths.filter(
    (one) => !paths.some((path) => path.startsWith(`${one}.`) || path.startsWith(`${one}[].`)),
);
