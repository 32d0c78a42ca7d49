/** Throws an error named NotAvailable: what is asked for needs the durable engine. */
export declare function notAvailable(what: string): never;
