/** Whether this many of all members are a majority, with which PD and its etcd work. */
export function isQuorum(alive: number, all: number): boolean {
    return alive * 2 > all;
}
