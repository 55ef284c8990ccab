import { describe, expect, it } from 'vitest';
import { validateAnswer } from '../support/validate-answer.ts';

const answer = (body: unknown, status = 200, type = 'application/json'): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': type } });

describe('the check of every test answer against docs/openapi.json', () => {
  it('takes what is published', async () => {
    await expect(
      validateAnswer('GET', '/agent/models', answer({ default_model_id: '', models: [] })),
    ).resolves.toBeUndefined();
  });

  it.each([
    ['a missing field', answer({ models: [] }), /default_model_id/],
    ['a wrong type', answer({ default_model_id: 1, models: [] }), /must be string/],
    ['a status that is not published', answer({}, 418), /status is not published/],
    ['an error that is no problem document', answer({}, 401), /content type/],
  ])('refuses %s', async (_, wrong, reason) => {
    await expect(validateAnswer('GET', '/agent/models?x=1', wrong)).rejects.toThrow(reason);
  });

  it('tells a fixed path from one with a parameter', async () => {
    const wrong = answer({ schedules: [{}] });
    await expect(validateAnswer('GET', '/agent/schedules', wrong)).rejects.toThrow(/schedules\/0/);
  });
});
