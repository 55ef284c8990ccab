import { html } from 'hono/html';
import type { RunItem } from '../../contract/run.ts';
import { card } from '../card.ts';
import { buttonForm } from '../forms.ts';
import type { Html } from '../html.ts';
import type { Viewer } from '../layout.ts';
import { runPath } from '../format.ts';

/** Whether anybody with the link can see the run, and the button to change that. */
export function sharingView(view: {
  run: RunItem;
  viewer?: Viewer;
  publicLinks?: boolean;
}): Html | '' {
  const { run, viewer, publicLinks } = view;
  if (!viewer || !publicLinks) return '';
  if (viewer.session.role !== 'owner' && run.scope?.type !== 'User') return '';
  const action = `${runPath(run.run_id)}/sharing`;
  const isShared = run.agent_config?.session_sharing?.public_access !== undefined;
  const share = {
    action,
    label: 'Share by link',
    confirm:
      'Share it? Anybody with the link sees the prompt, everything the agent does, and the changes.',
    sends: ['public', 'yes'],
  } as const;
  return card(
    'sharing',
    'Sharing',
    isShared
      ? html`<p>Anybody with the link sees this run without signing in.</p>
          ${buttonForm(viewer, { action, label: 'Stop sharing' })}`
      : html`<p>Only people who are signed in see this run.</p>
          ${buttonForm(viewer, share)}`,
  );
}
