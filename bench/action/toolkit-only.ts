import { getInput } from '@actions/core';
import { context, getOctokit } from '@actions/github';

/** What every peer loads before it does anything: the toolkit, and one request through it. */
const github = getOctokit(getInput('github-token'), {
  baseUrl: process.env['GITHUB_API_URL'] ?? '',
});
await github.request('GET /rate_limit', { event: context.eventName });
