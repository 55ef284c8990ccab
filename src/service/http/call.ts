import type { z } from 'zod';
import type { Endpoint, PathParams } from '../../contract/endpoint.ts';
import type { Endpoints } from '../../contract/endpoints.ts';
import type { Principal, TeamPrincipal } from '../keys/principal.ts';

type QueryOf<E> = E extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
type BodyOf<E> = E extends { body: infer B extends z.ZodType }
  ? E extends { bodyOptional: true }
    ? z.output<B> | undefined
    : z.output<B>
  : undefined;
/**
 * Only a worker's key may be for all teams (no `teamId`); if `anyone` may call, there may be no
 * key.
 */
type CallerOf<E extends Endpoint> =
  | (Extract<E['callers'][number], 'worker'> extends never ? never : Principal)
  | (Extract<E['callers'][number], 'anyone'> extends never ? never : undefined)
  | (Exclude<E['callers'][number], 'worker' | 'anyone'> extends never ? never : TeamPrincipal);
type AnswerOf<E> = E extends { answer: infer A extends z.ZodType }
  ? z.output<A> | Response
  : E extends { answer: 'empty' }
    ? void
    : Response;

/** One request to an endpoint, parsed and authorised. */
export interface Call<E extends Endpoint> {
  params: Record<PathParams<E['path']>, string>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  caller: CallerOf<E>;
  /**
   * Seconds for which the caller would wait for a change (`Prefer: wait=N`); undefined if not asked
   * for.
   */
  waitSeconds: number | undefined;
  /**
   * The raw request: headers, and the body if `bodyKind` is `stream`. Its signal aborts when the
   * caller hangs up.
   */
  request: Request;
}

/**
 * Returns the JSON for the endpoint's schema and status, or a complete Response. Throws
 * ProblemError.
 */
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<AnswerOf<E>>;

/** A resource's handlers, by operation. */
export type ResourceHandlers<R extends keyof Endpoints> = {
  [O in keyof Endpoints[R]]: Endpoints[R][O] extends Endpoint ? Handler<Endpoints[R][O]> : never;
};

/** A handler for every endpoint of the table. */
export type Handlers = { [R in keyof Endpoints]: ResourceHandlers<R> };
