/** The world, as an operating system would describe itself. */
export declare const EOL = "\n";
export declare const devNull = "/dev/null";
export declare function platform(): "linux";
export declare function type(): "Linux";
export declare function tmpdir(): string;
export declare function homedir(): string;
export declare function hostname(): string;
export declare function endianness(): "LE";
declare const _default: {
    EOL: string;
    devNull: string;
    platform: typeof platform;
    type: typeof type;
    tmpdir: typeof tmpdir;
    homedir: typeof homedir;
    hostname: typeof hostname;
    endianness: typeof endianness;
};
export default _default;
