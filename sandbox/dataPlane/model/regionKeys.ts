/** The regions hold the tables with ids from 100 up, some regions each, as TiDB encodes their keys for PD. */

const regionsOfTable = 50;
const firstTable = 100;

/** The table of a region, by the region's index. */
export function tableOf(index: number): number {
    return firstTable + Math.floor(index / regionsOfTable);
}

/** The first key of a region, in hexadecimal digits: a row of its table. The first region has no lower bound. */
export function firstKeyOf(index: number): string {
    if (index === 0) {
        return "";
    }
    const table = `8${hex(tableOf(index), 15)}`;
    const row = `8${hex(index, 15)}`;
    const [first, second] = [`74${table.slice(0, 14)}`, `${table.slice(14)}5F72${row.slice(0, 10)}`];
    return `${first}FF${second}FF${row.slice(10)}0000000000FA`;
}

function hex(value: number, digits: number): string {
    return value.toString(16).toUpperCase().padStart(digits, "0");
}
