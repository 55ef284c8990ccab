/** The demo's project: small, real, with a failing test and an issue about it. */
export const DEMO_REPOSITORY = { owner: 'acme', name: 'widgets' } as const;

export const DEMO_APP = {
  id: 4242,
  clientId: 'Iv1.runlinkdemo',
  slug: 'runlink-demo',
  name: 'Runlink Demo',
  installationId: 100,
  permissions: {
    actions: 'read',
    checks: 'write',
    contents: 'write',
    issues: 'write',
    members: 'read',
    metadata: 'read',
    pull_requests: 'write',
    statuses: 'read',
  },
  events: [
    'check_run',
    'check_suite',
    'installation',
    'issue_comment',
    'issues',
    'pull_request',
    'pull_request_review',
    'pull_request_review_comment',
    'push',
  ],
} as const;

/** People of the stand-in: a maintainer and a stranger. */
export const DEMO_PEOPLE = {
  maintainer: { login: 'octocat', name: 'Mona Octocat', email: 'octocat@example.com' },
  stranger: { login: 'passer-by', name: 'Pat Passer-By', email: 'passer-by@example.com' },
} as const;

const README = `# Widgets

Prices for orders of widgets.

- Ten widgets or more are a bulk order and cost a tenth less.
- Orders of 50.00 or more are sent free of charge.

\`\`\`sh
npm test
\`\`\`
`;

const PRICE = `const WIDGET_PRICE = 4;
const BULK_ORDER = 10;
const BULK_SHARE = 0.9;

/** What so many widgets cost, without delivery. */
export function priceOf(count) {
  const full = count * WIDGET_PRICE;
  return count > BULK_ORDER ? full * BULK_SHARE : full;
}
`;

const DELIVERY = `const FREE_FROM = 50;
const DELIVERY_PRICE = 6;

/** What delivery costs for an order of this price. */
export function deliveryOf(price) {
  return price >= FREE_FROM ? 0 : DELIVERY_PRICE;
}
`;

const PRICE_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceOf } from '../src/price.js';

test('a few widgets cost their full price', () => {
  assert.equal(priceOf(3), 12);
});

test('ten widgets are a bulk order', () => {
  assert.equal(priceOf(10), 36);
});
`;

const DELIVERY_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryOf } from '../src/delivery.js';

test('small orders pay for delivery', () => {
  assert.equal(deliveryOf(12), 6);
});

test('orders of fifty or more do not', () => {
  assert.equal(deliveryOf(50), 0);
});
`;

const CHANGELOG = `# Changelog

## 1.0.0

- Prices and delivery of widgets.
`;

export const DEMO_FILES: Readonly<Record<string, string>> = {
  'CHANGELOG.md': CHANGELOG,
  'README.md': README,
  'package.json': `${JSON.stringify(
    {
      name: 'widgets',
      version: '1.0.0',
      private: true,
      type: 'module',
      scripts: { test: 'node --test' },
    },
    null,
    2,
  )}\n`,
  'src/delivery.js': DELIVERY,
  'src/price.js': PRICE,
  'test/delivery.test.js': DELIVERY_TEST,
  'test/price.test.js': PRICE_TEST,
};

export const DEMO_ISSUE = {
  title: 'Ten widgets are charged at the full price',
  body: `Our price list says that **ten widgets or more** are a bulk order, but ten cost 40 instead of 36.

\`npm test\` shows it:

\`\`\`
✖ ten widgets are a bulk order
  Expected values to be strictly equal: 40 !== 36
\`\`\`
`,
} as const;
