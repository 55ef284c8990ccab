import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { quietGitEnvironment } from './git.ts';

/** A request of git's smart HTTP protocol. */
export interface GitRequest {
  owner: string;
  name: string;
  /** `info/refs`, `git-upload-pack` or `git-receive-pack`. */
  operation: string;
  writes: boolean;
}

const GIT_PATH =
  /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** The repository and service that a git request is for; undefined for other requests. */
export function readGitRequest(url: URL): GitRequest | undefined {
  const match = GIT_PATH.exec(url.pathname);
  if (!match?.[1] || !match[2] || !match[3]) return undefined;
  const service = url.searchParams.get('service');
  const operation = match[3];
  if (operation === 'info/refs' && !service) return undefined;
  const writes = operation === 'git-receive-pack' || service === 'git-receive-pack';
  return { owner: match[1], name: match[2], operation, writes };
}

interface GitHttpOptions {
  /** Directory of the repositories, each as `owner/name.git`. */
  root: string;
  path: string;
  user: string;
  query: string;
  /** The environment of the hooks, and where they are. */
  rules: { HOOKS?: string } & Record<string, string>;
}

const SETTINGS = [
  'safe.directory=*',
  'http.receivepack=true',
  // After a crash a push is read again, so nothing that was pushed may be pruned.
  'gc.auto=0',
  // GitHub gives out any commit of a repository, whatever branch it was on.
  'uploadpack.allowAnySHA1InWant=true',
];

function cgiEnvironment(
  request: IncomingMessage,
  wanted: GitRequest,
  options: GitHttpOptions,
): Record<string, string> {
  const header = (name: string): string => String(request.headers[name] ?? '');
  return {
    ...quietGitEnvironment(options.path),
    ...options.rules,
    GIT_PROJECT_ROOT: options.root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${wanted.owner}/${wanted.name}.git/${wanted.operation}`,
    QUERY_STRING: options.query,
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: header('content-type'),
    ...(request.headers['content-length'] && { CONTENT_LENGTH: header('content-length') }),
    ...(header('content-encoding') && { HTTP_CONTENT_ENCODING: header('content-encoding') }),
    ...(header('git-protocol') && { GIT_PROTOCOL: header('git-protocol') }),
    REMOTE_USER: options.user,
    REMOTE_ADDR: '127.0.0.1',
  };
}

/** Splits a CGI program's output into its header lines and the start of its body. */
function splitHead(text: Buffer): { lines: string[]; rest: Buffer } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  return {
    lines: text.subarray(0, end).toString('latin1').split('\r\n'),
    rest: text.subarray(end + 4),
  };
}

function writeHead(response: ServerResponse, lines: readonly string[]): void {
  for (const line of lines) {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
}

/**
 * Answers a request with `git http-backend`. `beforeEnd` runs after git, before the response ends.
 */
export async function serveGit(
  request: IncomingMessage,
  response: ServerResponse,
  wanted: GitRequest,
  options: GitHttpOptions & { beforeEnd: () => Promise<void> },
): Promise<void> {
  const settings = [...SETTINGS, `core.hooksPath=${options.rules.HOOKS ?? '/dev/null'}`];
  const child = spawn('git', [...settings.flatMap((each) => ['-c', each]), 'http-backend'], {
    env: cgiEnvironment(request, wanted, options),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  response.once('close', () => child.kill());
  const fed = pipeline(request, child.stdin).catch(() => child.kill());
  let head = Buffer.alloc(0);
  let open = false;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (open) response.write(chunk);
    else {
      head = Buffer.concat([head, chunk]);
      const split = splitHead(head);
      if (!split) continue;
      open = true;
      writeHead(response, split.lines);
      response.write(split.rest);
    }
  }
  await fed;
  await options.beforeEnd();
  if (!open) response.statusCode = 500;
  response.end();
}
