/** Lines that contain the query. */
export default function text(query: string): (line: string) => boolean {
  return (line) => line.includes(query);
}
