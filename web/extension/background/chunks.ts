// Frames that are too large for one message: parts of the UTF-8 of their JSON,
// each behind the number of the stream (32 bits, big-endian) and a byte that is
// 1 in the last.

const head = 5;

/** largest is how long a frame in one message is at most. */
export const largest = 1 << 20;

const part = 512 << 10;
const most = 256 << 20; // of all that has begun to arrive

let streams = 0;

/** cut makes the messages of a frame that is too large for one. */
export function* cut(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  streams = (streams + 1) >>> 0;
  for (let at = 0; at < bytes.length; at += part) {
    const piece = bytes.subarray(at, at + part);
    const message = new Uint8Array(head + piece.length);
    const view = new DataView(message.buffer);
    view.setUint32(0, streams);
    view.setUint8(4, at + part >= bytes.length ? 1 : 0);
    message.set(piece, head);
    yield message;
  }
}

/** Joiner puts together what arrives in parts. */
export class Joiner {
  private readonly parts = new Map<number, Uint8Array[]>();
  private held = 0;

  /** take returns the frame that a message ends, or null. It throws when too much has begun. */
  take(message: ArrayBuffer): string | null {
    if (message.byteLength < head) throw new RangeError("a part of a frame without a head");
    const view = new DataView(message);
    const stream = view.getUint32(0), last = view.getUint8(4) === 1;
    const parts = this.parts.get(stream) ?? [];
    parts.push(new Uint8Array(message, head));
    this.held += message.byteLength - head;
    if (this.held > most) throw new RangeError("too much has arrived in parts");
    if (!last) {
      this.parts.set(stream, parts);
      return null;
    }
    this.parts.delete(stream);
    const whole = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const p of parts) {
      whole.set(p, at);
      at += p.length;
    }
    this.held -= whole.length;
    return new TextDecoder().decode(whole);
  }
}
