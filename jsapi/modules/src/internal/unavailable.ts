/** Throws an error named NotAvailable: what is asked for needs the durable engine. */
export function notAvailable(what: string): never {
  const error = new Error(`${what} arrives with the durable engine`);
  error.name = "NotAvailable";
  throw error;
}
