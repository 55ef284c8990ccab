import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Operations = Record<
  string,
  { responses: Record<string, { content?: Record<string, unknown> }> }
>;

const file = new URL('../../docs/openapi.json', import.meta.url);
const published = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, Operations> };

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(published, 'openapi');

const routes = Object.keys(published.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

const pointer = (...parts: string[]): string =>
  parts
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');

/** The published path that a request's path is of; a fixed one before one with parameters. */
function routeOf(pathname: string): string | undefined {
  const found = routes.filter(({ pattern }) => pattern.test(pathname)).map(({ path }) => path);
  return found.find((path) => !path.includes('{')) ?? found[0];
}

/**
 * The validator of an answer's body, or undefined where it is not JSON; throws for what is not
 * published.
 */
function validatorOf(method: string, route: string, answer: Response) {
  const status = String(answer.status);
  const name = `${method} ${route} → ${status}`;
  const response = published.paths[route]?.[method.toLowerCase()]?.responses[status];
  if (!response) throw new Error(`${name}: this status is not published`);
  if (!response.content || 'application/octet-stream' in response.content) return undefined;
  const type = (answer.headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
  if (!(type in response.content))
    throw new Error(`${name}: the content type ${type} is not published`);
  const operation = ['paths', route, method.toLowerCase(), 'responses', status];
  return ajv.getSchema(`openapi#/${pointer(...operation, 'content', type, 'schema')}`);
}

/**
 * Compares an answer with docs/openapi.json: its status, content type and body must be published.
 * What is asked of paths and methods that are not in it is not looked at. Throws what differs.
 */
export async function validateAnswer(
  method: string,
  path: string,
  answer: Response,
): Promise<void> {
  const route = routeOf(path.split('?', 1)[0] ?? path);
  if (!route || !published.paths[route]?.[method.toLowerCase()]) return;
  const validate = validatorOf(method, route, answer);
  if (!validate) return;
  const body: unknown = await answer.json();
  if (!validate(body))
    throw new Error(
      `${method} ${route} → ${answer.status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`,
    );
}
