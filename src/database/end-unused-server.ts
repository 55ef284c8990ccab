import { endUnusedServer } from './open-embedded.ts';

/** A process of its own: whoever used the server as a guest ended without closing it. */
await endUnusedServer(process.argv[2] ?? '');
