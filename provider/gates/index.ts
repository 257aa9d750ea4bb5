import { keepHeapSmall } from "./keepHeapSmall";

export * from "./gates";

// Pulumi loads this file in a process of its own for the gates of a program.
keepHeapSmall();
