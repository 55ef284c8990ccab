import type { RequestUsage } from '../../contract/run.ts';
import type { ModelFailure } from '../run/agent/outcome.ts';
import type { Metering } from './calls.ts';
import type { TokenCount } from './token-count.ts';
import type { ModelUpstream } from './upstream.ts';

/** How one run uses its model through the worker. */
export class ModelSession {
  readonly upstream: ModelUpstream;
  readonly budgetTokens: number | undefined;
  /** The failure of the call that ended last; undefined if it succeeded. */
  failure: ModelFailure | undefined;
  readonly #tokens = new Map<string, number>();
  readonly #onExceeded: () => void;
  readonly #onUncounted: () => void;
  readonly #failuresMax: number | undefined;
  readonly #onGivenUp: () => void;
  readonly #onCall: () => void;
  #sum = 0;
  #shut = false;
  #failures = 0;

  constructor(options: {
    upstream: ModelUpstream;
    budgetTokens: number | undefined;
    /** Called once the budget is used up. */
    onExceeded: () => void;
    /** Called when an answer under a budget does not say how much it used. */
    onUncounted?: () => void;
    /**
     * After this many failed calls in a row the model is given up; undefined for agents that give
     * up by themselves.
     */
    failuresMax?: number | undefined;
    onGivenUp?: () => void;
    /** Called when a call begins or ends: a sign of life. */
    onCall: () => void;
  }) {
    this.upstream = options.upstream;
    this.budgetTokens = options.budgetTokens;
    this.#onExceeded = options.onExceeded;
    this.#onUncounted = options.onUncounted ?? options.onExceeded;
    this.#failuresMax = options.failuresMax;
    this.#onGivenUp = options.onGivenUp ?? (() => undefined);
    this.#onCall = options.onCall;
  }

  get exceeded(): boolean {
    return this.#shut || (this.budgetTokens !== undefined && this.#sum >= this.budgetTokens);
  }

  /** What was used since the last time this was called; undefined if nothing. */
  takeUsage(): RequestUsage | undefined {
    const models = [...this.#tokens].map(([model_id, total_tokens]) => ({
      model_id,
      total_tokens,
    }));
    this.#tokens.clear();
    if (models.length === 0) return undefined;
    const total_tokens = models.reduce((sum, model) => sum + model.total_tokens, 0);
    return { total_tokens, model_token_usage: models };
  }

  began(): void {
    this.#onCall();
  }

  succeeded({ model, tokens }: TokenCount, metering: Metering): void {
    this.failure = undefined;
    this.#failures = 0;
    this.#onCall();
    if (tokens <= 0) {
      // A budget cannot be enforced on calls that cannot be counted.
      if (metering === 'free' || this.budgetTokens === undefined) return;
      this.#shut = true;
      return this.#onUncounted();
    }
    const before = this.exceeded;
    this.#sum += tokens;
    const name = model ?? 'unknown';
    this.#tokens.set(name, (this.#tokens.get(name) ?? 0) + tokens);
    if (this.exceeded && !before) this.#onExceeded();
  }

  failed(failure: ModelFailure): void {
    this.failure = failure;
    this.#failures += 1;
    if (this.#failures === this.#failuresMax) this.#onGivenUp();
    this.#onCall();
  }
}
