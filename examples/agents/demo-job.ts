import type { Screen } from './demo-screen.ts';

export interface Job {
  request: string;
  cwd: string;
  screen: Screen;
  signal: AbortSignal;
}
