// Bounds the unanswered requests of a connection: its parser stops until earlier responses are written.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** More than honest clients send ahead; each unanswered request costs about 5 kB. */
const UNANSWERED_MAX = 32;
/** Returned for a request's head, this code stops the parser behind that head (llhttp's HPE_PAUSED). */
const STOP_PARSER = 21;
const STOPPED = "HPE_PAUSED";
const NOTHING = Buffer.alloc(0);

/**
 * What Node keeps on a socket of its HTTP server. Not documented, but nothing documented stops the parser within a chunk:
 * 64 kB hold up to 3,600 requests. The same in Node 20 and 26; pipelines.test.ts fails where it no longer holds.
 */
interface HttpSocket extends Socket {
  parser?: {
    onIncoming: (request: IncomingMessage & { upgrade?: boolean }, keepAlive: boolean) => number;
    execute(bytes: Buffer): unknown;
    resume(): void;
  } | null;
  /** Node itself has stopped reading because too many bytes wait to be written; it goes on by itself. */
  _paused?: boolean;
}

/** As Node gives it to `clientError`; the last two only where the parser has failed. */
export interface ParserError {
  code?: string | undefined;
  rawPacket?: unknown;
  bytesParsed?: number | undefined;
}

interface Pipeline {
  /** In the order of their requests, which is the order in which they are written. Finished ones are removed late. */
  unanswered: ServerResponse[];
  /** The response to the latest request, finished or not. */
  newest: ServerResponse | undefined;
  /** The last response of the connection is decided: requests behind it are not served. */
  isEnding: boolean;
  /** The parser was stopped by us, and its error has not come yet. */
  isStopping: boolean;
  isWaiting: boolean;
  isRead: "by the parser" | "as a stream";
}

const pipelines = new WeakMap<Socket, Pipeline>();

/** For every new connection, before its first byte is read. */
export function boundPipeline(socket: Socket): void {
  const { parser } = socket as HttpSocket;
  if (typeof parser?.onIncoming !== "function")
    throw new Error("This Node has no parser that can be stopped");
  const pipeline: Pipeline = {
    unanswered: [],
    newest: undefined,
    isEnding: false,
    isStopping: false,
    isWaiting: false,
    isRead: "by the parser",
  };
  pipelines.set(socket, pipeline);
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    const verdict = onIncoming(request, keepAlive);
    if (request.upgrade || pipeline.unanswered.length < UNANSWERED_MAX) return verdict;
    pipeline.isStopping = true;
    return STOP_PARSER;
  };
}

/** At once with each request, in their order. */
export function addUnanswered(socket: Socket, response: ServerResponse): void {
  const pipeline = pipelines.get(socket);
  if (pipeline === undefined) return;
  const { unanswered } = pipeline;
  pipeline.newest = response;
  removeFinished(unanswered);
  // The first one stays until the next request: who does not pipeline pays for no listener.
  if (unanswered.length > 0) response.once("finish", () => removeFinished(unanswered));
  unanswered.push(response);
}

function removeFinished(unanswered: ServerResponse[]): void {
  while (unanswered[0]?.writableFinished) unanswered.shift();
}

/** The response that is being decided is the last of its connection (RFC 9112, 9.6). */
export function endPipeline(socket: Socket): void {
  const pipeline = pipelines.get(socket);
  if (pipeline !== undefined) pipeline.isEnding = true;
}

/** True where a response could not be sent any more, because an earlier one ends the connection. */
export function isPipelineEnding(socket: Socket): boolean {
  return socket.writableEnded || pipelines.get(socket)?.isEnding === true;
}

/** The response to the latest request of a connection, finished or not. */
export function findNewestResponse(socket: Socket): ServerResponse | undefined {
  return pipelines.get(socket)?.newest;
}

/** The last response that is still to be written to a request that has come as a whole. */
export function findLastUnanswered(socket: Socket): ServerResponse | undefined {
  return pipelines
    .get(socket)
    ?.unanswered.findLast(({ req, writableFinished }) => req.complete && !writableFinished);
}

/**
 * True for a parser that was stopped here. What it has not read yet goes back into the stream of the socket, which keeps
 * the order of bytes and the end behind them; it is read again once half of the responses are written.
 */
export function holdPipeline(error: ParserError, socket: Socket): boolean {
  const pipeline = pipelines.get(socket);
  if (error.code !== STOPPED || pipeline === undefined || !Buffer.isBuffer(error.rawPacket)) return false;
  // Bytes that come to a stopped parser are left as they are, and its count of parsed bytes is an old one.
  const parsed = pipeline.isStopping ? (error.bytesParsed ?? 0) : 0;
  pipeline.isStopping = false;
  readAsStream(socket, pipeline);
  completeRequest(socket);
  socket.pause();
  socket.unshift(error.rawPacket.subarray(parsed));
  resumeLater(socket, pipeline);
  return true;
}

/** Until now the parser read from the operating system itself, past the stream; a new listener for data ends that. */
function readAsStream(socket: HttpSocket, pipeline: Pipeline): void {
  if (pipeline.isRead === "as a stream") return;
  pipeline.isRead = "as a stream";
  const [parse] = socket.listeners("data") as [(bytes: Buffer) => void];
  socket.removeListener("data", parse);
  socket.on("data", (bytes: Buffer) => {
    // A stream that is destroyed cannot be paused: what it still holds would go on to a parser that Node believes paused.
    if (!socket.destroyed && socket.parser) parse(bytes);
  });
  // The parser may have stopped the reading. The stream believes that it has asked for bytes; this makes it ask again.
  socket.push("");
}

/** A request without a body is complete with its head. The parser has stopped between the two, and would see to it too late. */
function completeRequest({ parser }: HttpSocket): void {
  parser?.resume();
  parser?.execute(NOTHING);
}

function resumeLater(socket: HttpSocket, pipeline: Pipeline): void {
  if (pipeline.isWaiting) return;
  pipeline.isWaiting = true;
  const { unanswered } = pipeline;
  const resume = () => {
    pipeline.isWaiting = false;
    if (!socket._paused && !socket.destroyed) socket.resume();
  };
  const awaited = unanswered[unanswered.length >> 1];
  if (awaited === undefined || awaited.writableFinished) setImmediate(resume);
  else awaited.once("finish", resume);
}
