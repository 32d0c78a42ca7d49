/** Lines that match the query, a regular expression. */
export default function regexp(query: string): (line: string) => boolean {
  const pattern = new RegExp(query, "u");
  return (line) => pattern.test(line);
}
