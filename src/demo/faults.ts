import type { ServerResponse } from 'node:http';

/** A way in which GitHub can fail, for tests of its callers. */
export type Fault =
  | { kind: 'down' }
  | { kind: 'slow'; delayMs: number }
  | { kind: 'error'; status: number }
  | { kind: 'secondary-limit'; retryAfterSeconds: number }
  | { kind: 'garbage' }
  /** The request is carried out, but its response is lost. */
  | { kind: 'lost' }
  | { kind: 'half' };

interface ArmedFault {
  fault: Fault;
  /** Which requests fail, by `METHOD /path`. */
  matches: RegExp;
  left: number;
}

export interface Faults {
  /** Makes the next `times` matching requests fail; without a number, all of them. */
  arm(fault: Fault, matches?: RegExp, times?: number): void;
  clear(): void;
  take(method: string, path: string): Fault | undefined;
}

export function createFaults(): Faults {
  let armed: ArmedFault[] = [];
  return {
    arm(fault, matches = /./, times = Infinity) {
      armed.push({ fault, matches, left: times });
    },
    clear() {
      armed = [];
    },
    take(method, path) {
      const found = armed.find((item) => item.left > 0 && item.matches.test(`${method} ${path}`));
      if (found) found.left -= 1;
      return found?.fault;
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** Answers as a failing GitHub does. */
export function answerFault(
  fault: Exclude<Fault, { kind: 'slow' | 'lost' }>,
  response: ServerResponse,
): void {
  if (fault.kind === 'error') {
    response.writeHead(fault.status, JSON_TYPE).end('{"message":"Server Error"}');
  } else if (fault.kind === 'secondary-limit') {
    response
      .writeHead(403, { ...JSON_TYPE, 'retry-after': String(fault.retryAfterSeconds) })
      .end('{"message":"You have exceeded a secondary rate limit."}');
  } else if (fault.kind === 'garbage') {
    response.writeHead(200, JSON_TYPE).end('<html>not what you asked for</html>');
  } else if (fault.kind === 'half') {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
    response.write('{"id": 1, "bo', () => response.destroy());
  } else response.destroy();
}
