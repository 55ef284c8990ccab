#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=50
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runCli } = await import('./run-cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
