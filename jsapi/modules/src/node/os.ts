/** The world, as an operating system would describe itself. */

export const EOL = "\n";
export const devNull = "/dev/null";

export function platform(): "linux" {
  return "linux";
}

export function type(): "Linux" {
  return "Linux";
}

export function tmpdir(): string {
  return "/tmp";
}

export function homedir(): string {
  return "/home";
}

export function hostname(): string {
  return "world";
}

export function endianness(): "LE" {
  return "LE";
}

export default { EOL, devNull, platform, type, tmpdir, homedir, hostname, endianness };
