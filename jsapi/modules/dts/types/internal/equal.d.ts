/** Deep equality, as Node's assert and util define it. */
export declare function deepEqual(left: unknown, right: unknown, strict: boolean): boolean;
