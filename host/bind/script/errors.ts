/** Errors that the host throws, told apart by their name. */

export function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** Throws the error of a member that a part of the harness brings which is not there. */
export function notAvailable(member: string, part: string): never {
  throw named("NotAvailable", `${member} is not available: it arrives with ${part}`);
}
