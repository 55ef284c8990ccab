import { endUnusedServer } from './open-embedded.ts';

/** Runs as its own process, after a guest of the server ended without closing it. */
await endUnusedServer(process.argv[2] ?? '');
