// Receivers in a thread of their own, so that they do not slow down the client that measures. They answer with the status of
// `workerData`, and after a message send interim responses without end, with a message for each flooded request.

import { createServer, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const PIECE = Buffer.from("HTTP/1.1 102 Processing\r\n\r\n".repeat(2_400));

let isFlooding = false;
parentPort?.on("message", () => {
  isFlooding = true;
});

function flood(socket: Socket): void {
  parentPort?.postMessage("flooded");
  const pump = () => {
    while (!socket.destroyed && socket.write(PIECE));
  };
  socket.on("drain", pump);
  pump();
}

const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", () => {
    if (isFlooding) flood(socket);
    else socket.end(`HTTP/1.1 ${workerData} Answer\r\nContent-Length: 0\r\n\r\n`);
  });
});
server.listen(0, "127.0.0.1", () => parentPort?.postMessage(server.address()));
