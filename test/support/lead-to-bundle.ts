import { leadToBundle } from './programs.ts';

await leadToBundle();
