/** Asks about many things, so many at once. @returns the answers, in the order of the things. */
export async function inGroups<T, R>(
    things: readonly T[],
    atOnce: number,
    ask: (thing: T) => Promise<R>,
): Promise<R[]> {
    const answers: R[] = [];
    for (let first = 0; first < things.length; first += atOnce) {
        answers.push(...(await Promise.all(things.slice(first, first + atOnce).map(ask))));
    }
    return answers;
}
