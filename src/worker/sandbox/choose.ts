import { RunlinkError } from '../../base/error.ts';
import { bwrapSandbox } from './bwrap.ts';
import { findCgroups } from './cgroup.ts';
import { directSandbox } from './direct.ts';
import type { Sandbox } from './sandbox.ts';
import { hasTool } from './tools.ts';
import { unshareArguments, unshareSandbox } from './unshare.ts';

const BWRAP_PROBE =
  'bwrap --die-with-parent --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp -- true'.split(
    ' ',
  );

/**
 * The strongest isolation that this machine really has, found by trying each; or the one asked for.
 * Throws `sandbox_unavailable` when that one does not work here.
 */
export async function chooseSandbox(wanted: Sandbox['name'] | 'auto' = 'auto'): Promise<Sandbox> {
  const root = process.getuid?.() === 0;
  const [bwrap, unshare, prlimit, groups] = await Promise.all([
    hasTool(BWRAP_PROBE),
    hasTool([...unshareArguments(root), 'true']),
    hasTool(['prlimit', '--core=0', '--', 'true']),
    findCgroups(),
  ]);
  const tools = { prlimit, root };
  const works = { bwrap, unshare, direct: true };
  const name = wanted === 'auto' ? strongest(works) : wanted;
  if (!works[name])
    throw new RunlinkError('sandbox_unavailable', `The sandbox "${name}" does not work here.`, {
      hint: 'Install bubblewrap (bwrap) or util-linux (unshare), or choose "auto".',
    });
  if (name === 'bwrap') return bwrapSandbox(tools, groups);
  return name === 'unshare' ? unshareSandbox(tools, groups) : directSandbox(tools, groups);
}

function strongest(works: Record<'bwrap' | 'unshare', boolean>): Sandbox['name'] {
  if (works.bwrap) return 'bwrap';
  return works.unshare ? 'unshare' : 'direct';
}
