import type { ValidateFunction } from "ajv";
import schema from "../spec.schema.json";
import { compileSchema } from "./compileSchema";

/** The compiled schema of a manifest. */
export const validate: ValidateFunction = compileSchema(schema);
