import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RunSocket {
  /** Path of the socket, to be bound into a run's sandbox. */
  socket: string;
  close: () => Promise<void>;
}

/**
 * Makes a server listen on a socket for a run. The path is short, because the kernel allows only
 * 107 bytes.
 */
export async function listenForRun(server: Server, name: string): Promise<RunSocket> {
  const dir = await mkdtemp(join(tmpdir(), 'rl-'));
  const socket = join(dir, name);
  server.listen(socket);
  await once(server, 'listening');
  // The run may have a user of its own; others cannot enter the directory.
  await chmod(socket, 0o666);
  return {
    socket,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
