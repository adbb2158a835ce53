// Limits the unanswered requests of a connection: its parser stops until earlier responses are written.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** More than honest clients send ahead; each unanswered request costs about 5 kB. */
const UNANSWERED_MAX = 32;
/** Returned for a request's head, this code stops the parser after that head (llhttp's HPE_PAUSED). */
const STOP_PARSER = 21;
const STOPPED = "HPE_PAUSED";
const NOTHING = Buffer.alloc(0);

/**
 * The fields that Node keeps on a socket of its HTTP server. Not documented, but nothing documented stops the parser within
 * a chunk: 64 kB hold up to 3,600 requests. The same in Node 20 and 26; pipelines.test.ts fails where it no longer holds.
 */
interface HttpSocket extends Socket {
  parser?: {
    onIncoming: (request: IncomingMessage & { upgrade?: boolean }, keepAlive: boolean) => number;
    execute(bytes: Buffer): unknown;
    resume(): void;
  } | null;
  /** Node has stopped reading because too many bytes wait to be written, and will resume without our help. */
  _paused?: boolean;
}

/** As Node gives it to `clientError`; the last two only where the parser has failed. */
export interface ParserError {
  code?: string | undefined;
  rawPacket?: unknown;
  bytesParsed?: number | undefined;
}

export interface Pipeline {
  readonly socket: Socket;
  /** In the order of their requests, which is the order in which they are written. */
  readonly unanswered: ServerResponse[];
  /** The response to the latest request, finished or not. */
  newest: ServerResponse | undefined;
  /** All connections without a request, the one idle longest first. Undefined if connections are not limited. */
  idle: Set<Socket> | undefined;
  /** The last response of the connection is decided: later requests are not served (RFC 9112, 9.6). */
  isEnding: boolean;
  /** The client has sent bytes that are not HTTP. Node reports every further chunk as another error. */
  isBroken: boolean;
  /** The body of an upload is being read. */
  isUploading: boolean;
  /** We have stopped the parser, and its error has not been reported yet. */
  isStopping: boolean;
  isWaiting: boolean;
  isRead: "by the parser" | "as a stream";
}

declare module "node:net" {
  interface Socket {
    /** Set for every connection of the HTTP server. */
    pipeline?: Pipeline;
  }
}

/** Must be called for every new connection, before its first byte is read. */
export function limitPipeline(socket: Socket): void {
  const { parser } = socket as HttpSocket;
  if (typeof parser?.onIncoming !== "function")
    throw new Error("This Node has no parser that can be stopped");
  const pipeline: Pipeline = {
    socket,
    unanswered: [],
    newest: undefined,
    idle: undefined,
    isEnding: false,
    isBroken: false,
    isUploading: false,
    isStopping: false,
    isWaiting: false,
    isRead: "by the parser",
  };
  socket.pipeline = pipeline;
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    const verdict = onIncoming(request, keepAlive);
    if (request.upgrade || pipeline.unanswered.length < UNANSWERED_MAX) return verdict;
    pipeline.isStopping = true;
    return STOP_PARSER;
  };
}

/** To be called at once for each request, in their order. */
export function addUnanswered(pipeline: Pipeline, response: ServerResponse): void {
  pipeline.newest = response;
  pipeline.unanswered.push(response);
  pipeline.idle?.delete(pipeline.socket);
  response.on("finish", endResponse);
}

/** One function for all responses: it costs less than a closure for each. */
function endResponse(this: ServerResponse): void {
  const pipeline = this.req.socket.pipeline as Pipeline;
  const { unanswered } = pipeline;
  while (unanswered[0]?.writableFinished) unanswered.shift();
  // Responses are written in order, so the earlier ones have finished.
  if (pipeline.newest === this && !pipeline.socket.destroyed) pipeline.idle?.add(pipeline.socket);
}

/** True where a response could not be sent any more, because an earlier one ends the connection. */
export function isPipelineEnding({ isEnding, socket }: Pipeline): boolean {
  return isEnding || socket.writableEnded;
}

/** The last response that is still to be written to a request that was received in full. */
export function findLastUnanswered({ unanswered }: Pipeline): ServerResponse | undefined {
  return unanswered.findLast(({ req, writableFinished }) => req.complete && !writableFinished);
}

/**
 * True for a parser that was stopped here. The bytes that it has not read go back into the stream of the socket, which keeps
 * the order of bytes and of the end; they are read again once 50 % of the responses are written.
 */
export function holdPipeline(error: ParserError, pipeline: Pipeline): boolean {
  if (error.code !== STOPPED || !Buffer.isBuffer(error.rawPacket)) return false;
  // A parser that was stopped before leaves new bytes unread, and its count of parsed bytes is an old one.
  const parsed = pipeline.isStopping ? (error.bytesParsed ?? 0) : 0;
  pipeline.isStopping = false;
  readAsStream(pipeline);
  completeRequest(pipeline.socket);
  pipeline.socket.pause();
  pipeline.socket.unshift(error.rawPacket.subarray(parsed));
  resumeLater(pipeline);
  return true;
}

/** Until now the parser has read from the operating system, past the stream; a new listener for data ends that. */
function readAsStream(pipeline: Pipeline): void {
  if (pipeline.isRead === "as a stream") return;
  pipeline.isRead = "as a stream";
  const socket: HttpSocket = pipeline.socket;
  const [parse] = socket.listeners("data") as [(bytes: Buffer) => void];
  socket.removeListener("data", parse);
  socket.on("data", (bytes: Buffer) => {
    // A destroyed stream cannot be paused: its remaining bytes would go to a parser that Node believes paused.
    if (!socket.destroyed && socket.parser) parse(bytes);
  });
  // The parser may have stopped the reading. The stream believes that it has asked for bytes; this makes it ask again.
  socket.push("");
}

/** A request without a body is complete with its head. The parser has stopped between the two, and would notice too late. */
function completeRequest({ parser }: HttpSocket): void {
  parser?.resume();
  parser?.execute(NOTHING);
}

function resumeLater(pipeline: Pipeline): void {
  if (pipeline.isWaiting) return;
  pipeline.isWaiting = true;
  const { unanswered } = pipeline;
  const socket: HttpSocket = pipeline.socket;
  const resume = () => {
    pipeline.isWaiting = false;
    if (!socket._paused && !socket.destroyed) socket.resume();
  };
  const awaited = unanswered[unanswered.length >> 1];
  if (awaited === undefined || awaited.writableFinished) setImmediate(resume);
  else awaited.once("finish", resume);
}
