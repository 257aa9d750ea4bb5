import type { World } from "./world";

/** @returns a whole number from 0 to `most`, by the world's own chance: the same story gives the same numbers. */
export function chanceUpTo(world: World, most: number): number {
    // The constants of Numerical Recipes' generator.
    world.chance = (Math.imul(world.chance, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((world.chance / 2 ** 32) * (most + 1));
}
