import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network in front of a server that can be cut, frozen and mended. */
export interface TcpProxy {
  port: number;
  /** Breaks every connection and takes no new ones. */
  cut(): void;
  /** Keeps every connection open and lets nothing through. */
  freeze(): void;
  mend(): void;
  /** How many connections it refused and pieces of data it swallowed so far. */
  lost(): number;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const state = { cut: false, frozen: false, lost: 0 };
  const server = createServer((incoming) => {
    if (state.cut) {
      state.lost += 1;
      incoming.destroy();
      return;
    }
    const outgoing = connect(target.port, target.host);
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (state.frozen) state.lost += 1;
        else to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state.cut = true;
      breakAll();
    },
    freeze() {
      state.frozen = true;
    },
    mend() {
      if (state.frozen) breakAll();
      state.cut = false;
      state.frozen = false;
    },
    lost: () => state.lost,
    async close() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
