import { canonicalQuantity } from "../../quantity";
import { isObject, mapValues, type PropertyMap, type PropertyValue } from "../values";

const holdQuantities = ["requests", "limits", "capacity", "hard"];

/**
 * Returns an object's properties with every quantity in canonical form, so a live object compares equal to its inputs.
 */
export function canonicalQuantities(properties: PropertyMap): PropertyMap {
    return mapValues(properties, (value, key) => canonical(value, holdQuantities.includes(key)));
}

function canonical(value: PropertyValue, isQuantities: boolean): PropertyValue {
    if (Array.isArray(value)) {
        return value.map((element) => canonical(element, false));
    }
    if (!isObject(value)) {
        return value;
    }
    return isQuantities
        ? mapValues(value, (quantity) => {
              const isText = typeof quantity === "string" || typeof quantity === "number";
              return isText ? canonicalQuantity(String(quantity)) : quantity;
          })
        : canonicalQuantities(value);
}
