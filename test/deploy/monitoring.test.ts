import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/app/metrics.ts';
import { createServiceMetrics } from '../../src/service/metrics/metrics.ts';
import { createWorkerMetrics } from '../../src/worker/metrics.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy/monitoring');
const read = (name: string): string => readFileSync(resolve(DEPLOY, name), 'utf8');

const none = async () => ({ waiting: 0, oldestSeconds: 0 });
const registries = [
  createServiceMetrics({
    pools: { main: new Pool(), steady: new Pool() },
    environments: [],
    tally: { changes: new Map(), expired: new Map() },
    heldRequests: () => 0,
  }),
  createWorkerMetrics({ capacity: 1, activeRuns: 0, ended: new Map(), claimFailures: 0 }, '/'),
  createMetrics({
    inbox: none,
    outbox: none,
    githubRemaining: () => [],
    runsByState: async () => [],
  }).registry,
];
const metrics = new Map(
  registries
    .flatMap((registry) => registry.getMetricsAsArray())
    .map((metric) => [metric.name, metric as unknown as { labelNames: string[] }]),
);

interface Dashboard {
  panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
}
interface Alerts {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
}
const { panels } = JSON.parse(read('dashboard.json')) as Dashboard;
const rules = (parse(read('alerts.yaml')) as Alerts).groups.flatMap((group) => group.rules);
const expressions = [
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...rules.map(({ expr }) => expr),
];
const named = (text: string): string[] => text.match(/\brunlink_\w+/g) ?? [];

describe('the dashboard and the alert rules', () => {
  it('name only metrics and labels that there are', () => {
    const all = expressions.flatMap(named);
    expect(all.length).toBeGreaterThan(15);
    expect(all.filter((name) => !metrics.has(name))).toEqual([]);
    const filters = expressions.flatMap((expr) => [
      ...expr.matchAll(/\b(runlink_\w+)\{(\w+)[=!~]/g),
    ]);
    expect(filters.length).toBeGreaterThan(3);
    const unknown = filters.filter(
      ([, name = '', label = '']) => !metrics.get(name)?.labelNames.includes(label),
    );
    expect(unknown).toEqual([]);
  });

  it('show the queue, runs, leases, held requests and the database', () => {
    const shown = new Set(panels.flatMap(({ targets }) => targets.flatMap((t) => named(t.expr))));
    const wanted = /^runlink_(queue|runs|run_changes|leases|held|database_c|worker_runs$)/;
    const names = [...metrics.keys()].filter((name) => wanted.test(name));
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('have a place in the docs for each metric and each alert', () => {
    const docs = resolve(DEPLOY, '../../docs');
    const operations = readFileSync(resolve(docs, 'operations.md'), 'utf8');
    expect([...metrics.keys()].filter((name) => !operations.includes(name))).toEqual([]);
    const troubles = readFileSync(resolve(docs, 'troubleshooting.md'), 'utf8');
    expect(rules.map(({ alert }) => alert).filter((name) => !troubles.includes(name))).toEqual([]);
  });
});
