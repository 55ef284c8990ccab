import { leadToBundle } from './programs.ts';

leadToBundle();
