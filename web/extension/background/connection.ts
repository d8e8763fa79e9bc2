import { api } from "../shared/api";
import type { Begin, Challenge, Code, Fault, Frame, Hello, Pair, Paired, Welcome } from "../../shared/link.gen";
import { cut, Joiner, largest } from "./chunks";
import { credentialOf, keepCredential, type Config, type Credential } from "./config";
import { newNonce, prove, same } from "./proof";

/** ConnectionState is how the connection to drawbridge is. */
export type ConnectionState =
  | { readonly is: "connecting" }
  | { readonly is: "connected"; readonly to: string; readonly since: number }
  | { readonly is: "refused"; readonly why: string }
  | { readonly is: "absent" } // no drawbridge answers at the address
  | { readonly is: "unpaired" }
  | { readonly is: "pairing"; readonly code: string; readonly until: number };

/** Ends are what a connection is made for. */
export interface Ends {
  /** hello is all that a bridge is told of this browser, but the proof. */
  hello(): Promise<Omit<Hello, "proof">>;
  /** begun is called when the handshake has ended well. */
  begun(): void;
  /** take gets each frame after the handshake. */
  take(frame: Frame): void;
  /** ended is called when a connection that begun was called for has ended. */
  ended(): void;
}

const major = 1, minor = 0;

const shortest = 500, longest = 5000; // milliseconds between attempts
const handshakeMost = 10_000;

// Why a bridge or a stranger in its place was not gone on with.
class Refusal extends Error {}

/**
 * Connection is the one to the bridge: there is never more than one, and it is
 * made again when it ends, by itself after a while and by connect at once.
 */
export class Connection {
  state: ConnectionState = { is: "connecting" };

  private readonly config: Config;
  private readonly ends: Ends;
  private frames: Inbox | null = null; // from its making to its end
  private attempt: Promise<void> | null = null;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private wait = shortest;
  private open = false; // the handshake has ended well
  private silence = 0; // milliseconds after which a bridge is taken for dead
  private wantsPairing = false;
  private readonly listeners: ((s: ConnectionState) => void)[] = [];

  constructor(config: Config, ends: Ends) {
    this.config = config;
    this.ends = ends;
  }

  onState(f: (s: ConnectionState) => void): void {
    this.listeners.push(f);
  }

  /** connect makes a connection unless there is one, or one is being made. */
  connect(): void {
    if (this.attempt !== null || this.frames !== null) return;
    clearTimeout(this.retry);
    this.attempt = this.run().finally(() => {
      this.attempt = null;
    });
  }

  /** reconnect ends the connection and makes another. */
  reconnect(): void {
    this.wait = shortest;
    if (this.frames === null) this.connect();
    else this.frames.close();
  }

  /** pair asks the bridge for a code that its user confirms. */
  pair(): void {
    if (this.wantsPairing && this.frames !== null) return;
    this.setPairing(true);
    this.reconnect();
  }

  /** send sends a frame, if there is a connection. */
  send(frame: Frame): void {
    if (this.open) this.frames?.send(frame);
  }

  // A worker that is ended while its user looks for the code goes on with it.
  private setPairing(wanted: boolean): void {
    this.wantsPairing = wanted;
    void api.storage.session?.set({ pairing: wanted });
  }

  private become(s: ConnectionState): void {
    this.state = s;
    for (const f of this.listeners) f(s);
  }

  private async run(): Promise<void> {
    const [credential, kept] = await Promise.all([credentialOf(this.config), api.storage.session?.get("pairing")]);
    this.wantsPairing ||= kept?.pairing === true;
    if (credential === null && !this.wantsPairing) {
      this.become({ is: "unpaired" });
      return;
    }
    if (this.state.is !== "connected" && this.state.is !== "absent" && this.state.is !== "refused") this.become({ is: "connecting" });
    const pairing = this.wantsPairing;
    const socket = new WebSocket(`ws://${this.config.address}/link${pairing || credential === null ? "" : `/${encodeURIComponent(credential.name)}`}`);
    const frames = new Inbox(socket);
    this.frames = frames;
    let why = "";
    frames.onEnd = () => { this.lost(why); };
    try {
      if (pairing || credential === null) await this.introduce(frames);
      else await this.handshake(frames, credential);
    } catch (e) {
      if (e instanceof Refusal) why = e.message;
      frames.close();
    }
  }

  private async introduce(frames: Inbox): Promise<void> {
    await frames.opened();
    const { name, product } = await this.ends.hello();
    frames.send({ kind: "pair", body: { name, product } satisfies Pair });
    for (;;) {
      const f = await frames.next();
      switch (f.kind) {
        case "code": {
          const code = bodyOf<Code>(f, { code: "", seconds: 0 });
          this.become({ is: "pairing", code: code.code, until: Date.now() + code.seconds * 1000 });
          break;
        }
        case "paired":
          await keepCredential(bodyOf<Paired>(f, { name: "", token: "" }));
          this.setPairing(false);
          this.wait = 0;
          frames.close();
          return;
        case "ping":
          frames.send(pong(f));
          break;
        default:
          this.setPairing(false);
          throw new Refusal(reason(f.error));
      }
    }
  }

  private async handshake(frames: Inbox, { token }: Credential): Promise<void> {
    const slow = setTimeout(() => { frames.close(); }, handshakeMost);
    try {
      await frames.opened();
      const nonce = newNonce();
      frames.send({ kind: "begin", body: { nonce, major, minor } satisfies Begin });
      const challenge = bodyOf<Challenge>(frames.want(await frames.next(), "challenge"), { nonce: "", proof: "", major: 0, minor: 0 });
      if (!same(challenge.proof, await prove(token, "bridge", nonce, challenge.nonce))) {
        throw new Refusal("what answers at the address of drawbridge does not know this browser");
      }
      const proof = await prove(token, "browser", nonce, challenge.nonce);
      frames.send({ kind: "hello", body: { proof, ...(await this.ends.hello()) } satisfies Hello });
      const welcome = bodyOf<Welcome>(frames.want(await frames.next(), "welcome"), { version: "", ping: 20 });
      this.wait = shortest;
      this.open = true;
      this.silence = (welcome.ping * 2 + 5) * 1000;
      this.heard();
      this.become({ is: "connected", to: `drawbridge ${welcome.version}`, since: Date.now() });
      this.ends.begun();
      frames.rest((f) => {
        this.heard();
        if (f.kind === "ping") this.send(pong(f));
        else this.ends.take(f);
      });
    } finally {
      clearTimeout(slow);
    }
  }

  // heard puts off the end of a connection whose other end has fallen silent.
  private heard(): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => { this.frames?.close(); }, this.silence);
  }

  private lost(refused: string): void {
    const was = this.open;
    this.frames = null;
    this.open = false;
    clearTimeout(this.watchdog);
    if (was) this.ends.ended();
    if (refused !== "") this.become({ is: "refused", why: refused });
    else if (!was && this.wait > 0) this.become({ is: "absent" });
    else this.become({ is: "connecting" });
    clearTimeout(this.retry);
    this.retry = setTimeout(() => { this.connect(); }, this.wait);
    this.wait = Math.min(longest, Math.max(shortest, this.wait * 2));
  }
}

function reason(fault: Fault | undefined): string {
  if (fault === undefined) return "drawbridge refused the connection";
  return fault.hint === undefined || fault.hint === "" ? fault.message : `${fault.message}; ${fault.hint}`;
}

// bodyOf is the body of a frame of the handshake: members that are missing, or
// of another type, are those of fallback.
function bodyOf<T extends object>(f: Frame, fallback: T): T {
  const body: object = typeof f.body === "object" && f.body !== null ? f.body : {};
  const right = Object.entries(body).filter(([k, v]) => typeof v === typeof Reflect.get(fallback, k));
  return { ...fallback, ...Object.fromEntries(right) };
}

function isFrame(x: unknown): x is Frame {
  return typeof x === "object" && x !== null && "kind" in x && typeof x.kind === "string";
}

const encoder = new TextEncoder();

function pong(ping: Frame): Frame {
  return { kind: "pong", id: ping.id };
}

// Inbox is the frames that arrive at a socket, one by one in the handshake.
class Inbox {
  onEnd: () => void = () => undefined;

  private readonly socket: WebSocket;
  private readonly joiner = new Joiner();
  private readonly waiting: Frame[] = [];
  private wake: () => void = () => undefined;
  private sink: ((f: Frame) => void) | null = null;
  private ended = false;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { this.wake(); };
    socket.onclose = () => { this.end(); };
    socket.onerror = () => { this.end(); };
    socket.onmessage = (e: MessageEvent<unknown>) => { this.receive(e.data); };
  }

  /** close ends it at once: a dead other end would keep the socket closing for long. */
  close(): void {
    this.socket.close();
    this.end();
  }

  send(frame: Frame): void {
    if (this.ended || this.socket.readyState !== WebSocket.OPEN) return;
    const text = JSON.stringify(frame);
    if (text.length <= largest / 3) {
      this.socket.send(text);
      return;
    }
    const bytes = encoder.encode(text);
    if (bytes.length <= largest) this.socket.send(text);
    else for (const message of cut(bytes)) this.socket.send(message);
  }

  async opened(): Promise<void> {
    while (!this.ended && this.socket.readyState === WebSocket.CONNECTING) await this.news();
    if (this.ended) throw new Error("the connection ended");
  }

  async next(): Promise<Frame> {
    for (;;) {
      const f = this.waiting.shift();
      if (f !== undefined) return f;
      if (this.ended) throw new Error("the connection ended");
      await this.news();
    }
  }

  want(f: Frame, kind: string): Frame {
    if (f.kind === kind) return f;
    throw new Refusal(f.kind === "refused" ? reason(f.error) : `what answers at the address of drawbridge said ${JSON.stringify(f.kind.slice(0, 40))}`);
  }

  /** rest hands over all further frames. */
  rest(sink: (f: Frame) => void): void {
    this.sink = sink;
    for (const f of this.waiting.splice(0)) sink(f);
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private end(): void {
    if (this.ended) return;
    this.ended = true;
    this.wake();
    this.onEnd();
  }

  private receive(data: unknown): void {
    let frame: unknown;
    try {
      const text = data instanceof ArrayBuffer ? this.joiner.take(data) : data;
      if (text === null) return;
      frame = typeof text === "string" ? JSON.parse(text) : undefined;
    } catch {
      frame = undefined;
    }
    if (this.ended) return;
    if (!isFrame(frame)) {
      this.close();
      return;
    }
    if (this.sink !== null) {
      this.sink(frame);
      return;
    }
    this.waiting.push(frame);
    this.wake();
  }
}
