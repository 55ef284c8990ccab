import { demoProfile } from './demo.ts';
import type { Profile } from './profile.ts';

/** The agents that are known without any configuration, by name. */
export const BUILT_IN: Readonly<Record<string, Profile>> = {
  demo: demoProfile,
};
