/** Lines that contain all words of the query, in any order and case. */
export default function words(query: string): (line: string) => boolean {
  const wanted = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return (line) => wanted.every((word) => line.toLowerCase().includes(word));
}
