/** The bytes of a type and a length in the protocol of PostgreSQL. */
const HEAD = 5;

/** Cuts the messages of one type out of what a server says, however it comes in pieces. */
export function withoutWords(type: string): (chunk: Buffer) => Buffer {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const kept: Buffer[] = [];
    while (rest.length >= HEAD) {
      const length = 1 + rest.readUInt32BE(1);
      if (rest.length < length) break;
      const message = rest.subarray(0, length);
      if (message.toString('latin1', 0, 1) !== type) kept.push(message);
      rest = rest.subarray(length);
    }
    return Buffer.concat(kept);
  };
}
