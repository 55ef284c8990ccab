// What the pages do beyond plain HTML: keep times right, follow a run as it works, copy, confirm.
// Everything here has a way without it.

const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** A page is up to date again within three seconds of the service's return. */
const LONGEST_RETRY_MS = 1_500;
/** Entries kept on a page that follows a run; earlier ones are a link away. */
const ENTRIES_KEPT = 300;
const byId = (id) => document.getElementById(id);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

document.documentElement.classList.add('scripted');

/* Times */

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

function timeAgo(seconds) {
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  return unit ? relative.format(Math.round(seconds / unit[1]), unit[0]) : 'just now';
}

function duration(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${Math.floor(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** How far the reader's clock is from the service's, where it is not the way of the page that took so long. */
const skew = Number(byId('run')?.dataset.now ?? Date.now()) - Date.now();
const offset = Math.abs(skew) > 10_000 ? skew : 0;

function tick() {
  const now = Date.now() + offset;
  for (const element of document.querySelectorAll('[data-since]')) {
    write(element, duration(Math.max(0, now - Date.parse(element.dataset.since)) / 1000));
  }
  for (const element of document.querySelectorAll('time[data-ago]')) {
    write(element, timeAgo(Math.min(0, Date.parse(element.dateTime) - now) / 1000));
  }
}
tick();
setInterval(tick, 1000);

/** Firings in the reader's own time: `Sat, 21 Nov, 09:50 CET`. */
const local = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
for (const element of document.querySelectorAll('time[data-local]')) {
  write(element, local.format(Date.parse(element.dateTime)));
}

/* Putting new markup in place: by id, only what changed, with folds and focus as they were */

function parse(markup) {
  return new DOMParser().parseFromString(markup, 'text/html').body;
}

const foldsOf = (element) => [...element.querySelectorAll('details')];
const stopsOf = (element) => [
  ...element.querySelectorAll('a, button, input, textarea, summary, [tabindex]'),
];

/** The pieces of text of an element, without times, which change by themselves. */
function textsOf(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  return texts.filter((it) => !it.parentElement.closest('time, .meta'));
}

/** How much of an element's text stands before a place in it. */
function lengthBefore(element, node, offset) {
  const range = new Range();
  const before = textsOf(element).filter((text) => {
    range.selectNodeContents(text);
    return text !== node && range.comparePoint(node, offset) > 0;
  });
  const own = node.nodeType === Node.TEXT_NODE ? offset : 0;
  return before.reduce((sum, text) => sum + text.length, own);
}

function placeAfter(element, length) {
  let left = length;
  for (const text of textsOf(element)) {
    if (left <= text.length) return [text, left];
    left -= text.length;
  }
  return [element, 0];
}

/** Swaps an element; what is selected in it stays selected. */
function swap(old, fresh) {
  const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = getSelection();
  const ends = [
    [anchorNode, anchorOffset],
    [focusNode, focusOffset],
  ].map(([node, offset]) => {
    const length = old.contains(node) ? lengthBefore(old, node, offset) : undefined;
    return () => (length === undefined ? [node, offset] : placeAfter(fresh, length));
  });
  const isTouched = !isCollapsed && (old.contains(anchorNode) || old.contains(focusNode));
  old.replaceWith(fresh);
  if (isTouched) getSelection().setBaseAndExtent(...ends.flatMap((place) => place()));
}

function replace(old, fresh) {
  const focused = stopsOf(old).indexOf(document.activeElement);
  const touched = foldsOf(old).map((fold) => (fold.dataset.touched ? fold.open : undefined));
  for (const [index, fold] of foldsOf(fresh).entries()) {
    if (touched[index] === undefined) continue;
    fold.open = touched[index];
    fold.dataset.touched = 'yes';
  }
  for (const field of old.querySelectorAll('textarea[id]')) {
    const same = fresh.querySelector(`#${CSS.escape(field.id)}`);
    if (!same || field.value === field.defaultValue) continue;
    same.value = field.value;
    same.setSelectionRange(field.selectionStart, field.selectionEnd);
  }
  swap(old, fresh);
  if (focused >= 0) stopsOf(fresh)[focused]?.focus({ preventScroll: true });
}

const placeOf = (entry) => Number(entry?.dataset.place);
/** The place of the last entry shown, which may be one of several in a fold. */
function lastPlace(list) {
  const last = list.lastElementChild;
  return placeOf([...(last?.querySelectorAll('[data-place]') ?? [])].at(-1) ?? last);
}

/** A way to the entries on one side of those that are shown; none where there are no others. */
function setWay(name, query) {
  const link = byId(name);
  link.hidden = query === '';
  link.href = `${query || '?'}#activity`;
  if (name === 'later') link.parentElement.hidden = link.hidden;
}

/** Takes entries away on one side until the page is small enough. */
function trim(list, name) {
  if (list.children.length <= ENTRIES_KEPT) return;
  while (list.children.length > ENTRIES_KEPT) {
    (name === 'earlier' ? list.firstElementChild : list.lastElementChild).remove();
  }
  if (name === 'earlier') setWay(name, `?before=${placeOf(list.firstElementChild)}`);
  else setWay(name, `?from=${lastPlace(list) + 1}`);
}

function placeEntry(list, fresh) {
  const place = placeOf(fresh);
  // What lies beyond what is shown comes with the piece that it is part of.
  if (!byId('later').hidden && place > lastPlace(list)) return;
  if (!byId('earlier').hidden && place < placeOf(list.firstElementChild)) return;
  const later = [...list.children].findLast((it) => placeOf(it) < place);
  if (later) later.after(fresh);
  else list.prepend(fresh);
}

/** Once for all that came: to ask where one reads has the whole page laid out anew. */
function trimUnread(list) {
  if (list.children.length <= ENTRIES_KEPT) return;
  const isReadingFirst = window.scrollY > 0 && list.getBoundingClientRect().top > -innerHeight;
  trim(list, isReadingFirst && !nearBottom() ? 'later' : 'earlier');
}

/* A long run: the next piece of it comes while one scrolls there */

/** So far from the end of what is shown. */
const NEAR_PX = 1500;
let isLoading = false;

function addPiece(name, body) {
  const list = byId('entries');
  const fresh = [...body.querySelector('#piece').children].filter(
    (it) => !byId((it.querySelector('[data-v]') ?? it).id),
  );
  const nodes = fresh.map((it) => document.adoptNode(it));
  const stays = name === 'earlier' ? list.firstElementChild : list.lastElementChild;
  const top = stays?.getBoundingClientRect().top;
  // What is being read stays where it is, by our hand and not by the browser's as well.
  document.documentElement.style.overflowAnchor = 'none';
  if (name === 'earlier') list.prepend(...nodes);
  else list.append(...nodes);
  const way = body.querySelector(`#${name}`);
  setWay(name, way.hidden ? '' : way.getAttribute('href').split('#')[0]);
  trim(list, name === 'earlier' ? 'later' : 'earlier');
  if (stays) window.scrollBy({ top: stays.getBoundingClientRect().top - top, behavior: 'instant' });
  requestAnimationFrame(() => (document.documentElement.style.overflowAnchor = ''));
  tick();
}

async function loadPiece(name) {
  const [link, root] = [byId(name), byId('run')];
  if (isLoading || !link || link.hidden) return;
  isLoading = true;
  try {
    const query = new URL(link.href).search;
    const answer = await fetch(`${location.pathname}/piece${query}`);
    if (!answer.ok || link.hidden || new URL(link.href).search !== query) return;
    const body = parse(await answer.text());
    const state = body.querySelector('#run').dataset;
    addPiece(name, body);
    if (byId('later').hidden && name === 'later') followFrom(root, state);
  } catch {
    // The link stays, and so does the next try.
  } finally {
    isLoading = false;
  }
}

let lastY = window.scrollY;
window.addEventListener(
  'scroll',
  () => {
    const isUp = window.scrollY < lastY;
    lastY = window.scrollY;
    const list = byId('entries')?.getBoundingClientRect();
    if (!list) return;
    // Whoever goes to the very top wants to see what was asked.
    if (isUp && lastY > 0 && list.top > -NEAR_PX) void loadPiece('earlier');
    if (!isUp && list.bottom < innerHeight + NEAR_PX) void loadPiece('later');
  },
  { passive: true },
);

function apply(body) {
  const list = byId('entries');
  for (const fresh of body.querySelectorAll('[id][data-v]')) {
    const old = byId(fresh.id);
    // Half a review is not thrown away for a later diff.
    if (old?.querySelector('.comment')) continue;
    if (old && old.dataset.v !== fresh.dataset.v) replace(old, document.adoptNode(fresh));
    else if (!old && list && fresh.dataset.place) placeEntry(list, document.adoptNode(fresh));
    else continue;
    if (fresh.id === 'changes') showViewed();
  }
  if (list) trimUnread(list);
}

// A reader's own folding is kept; that of new markup is not taken for one.
document.addEventListener('click', (event) => {
  const fold = event.target.closest?.('summary')?.parentElement;
  if (fold) fold.dataset.touched = 'yes';
});

/* Following a run, or the list of runs */

function nearBottom() {
  const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
  return scrollTop > 0 && scrollHeight - scrollTop - clientHeight < 120;
}

function takeUpdate(root, markup) {
  const body = parse(markup);
  const state = body.querySelector('#run');
  if (!state) throw new Error('not an update');
  const stick = root.dataset.active === 'yes' && byId('entries') && nearBottom();
  apply(body);
  const spoken = body.querySelector('#spoken');
  if (spoken && byId('spoken')) write(byId('spoken'), spoken.textContent);
  Object.assign(root.dataset, { after: state.dataset.after, active: state.dataset.active });
  if (state.dataset.title) document.title = state.dataset.title;
  tick();
  if (stick) window.scrollTo({ top: document.documentElement.scrollHeight });
}

function connection(text) {
  const line = byId('connection');
  if (!line) return;
  line.hidden = text === '';
  write(line, text);
}

// A tab that nobody sees keeps no connection.
let leaving = new AbortController();
function letGo() {
  leaving.abort();
  leaving = new AbortController();
}
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible') letGo();
});

async function fetchUpdate(root, wait) {
  const url = new URL(root.dataset.live, location.href);
  url.searchParams.set('after', root.dataset.after);
  if (!wait) url.searchParams.set('wait', 'no');
  const { signal } = leaving;
  // Else Chromium lets windows that ask for the same wait for each other, one at a time.
  const cache = 'no-store';
  const answer = await fetch(url, { headers: { accept: 'text/html' }, signal, cache });
  if (answer.status === 401 || answer.status === 404) return 'gone';
  if (answer.status === 204) return 'same';
  if (!answer.ok) throw new Error(String(answer.status));
  const markup = await answer.text();
  signal.throwIfAborted();
  takeUpdate(root, markup);
  return 'new';
}

function visible() {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((done) => {
    document.addEventListener('visibilitychange', done, { once: true });
  });
}

/** Follows the log from where a piece ended: what came meanwhile was not put behind a gap. */
function followFrom(root, { after, active }) {
  letGo();
  if (Number(after) < Number(root.dataset.after)) root.dataset.after = after;
  if (root.dataset.active === 'yes' || active !== 'yes') return;
  Object.assign(root.dataset, { after, active });
  void follow(root);
}

/** A browser has six connections for one service, all its windows together: so many of them wait. */
const WAITING_MAX = 4;

/** Asks for news, waiting for them where few windows do; the others ask again and again. */
async function ask(root) {
  const { locks } = navigator;
  const places = locks ? WAITING_MAX : 0;
  for (let at = 1; at <= places; at += 1) {
    const asked = await locks.request(`live-${at}`, { ifAvailable: true }, (lock) =>
      lock ? fetchUpdate(root, true) : null,
    );
    if (asked !== null) return asked;
  }
  const asked = await fetchUpdate(root, !locks);
  if (locks && asked !== 'gone') await pause(LONGEST_PAUSE_MS);
  return asked;
}

async function follow(root) {
  let failures = 0;
  while (root.dataset.active === 'yes') {
    await visible();
    try {
      const outcome = await ask(root);
      if (outcome === 'gone') {
        connection('This page cannot be updated any more. Reload it to sign in again.');
        return;
      }
      failures = 0;
      connection('');
    } catch (error) {
      if (error.name === 'AbortError') continue;
      failures += 1;
      if (failures > 1) connection('The connection is lost. Trying again…');
    }
    const longest = Math.min(LONGEST_RETRY_MS, SHORTEST_PAUSE_MS * 2 ** failures);
    await pause(longest * (failures > 0 ? 0.5 + Math.random() / 2 : 1));
  }
}

const root = byId('run');
if (root?.dataset.live) {
  void follow(root);
  // An ended run may have been continued by somebody meanwhile.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || root.dataset.active === 'yes') return;
    fetchUpdate(root, false).then(
      () => follow(root),
      () => connection('The connection is lost. Reload the page to see what is new.'),
    );
  });
}

/* Forms */

document.addEventListener('submit', (event) => {
  const question = event.target.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
});
document.addEventListener('change', (event) => {
  if (event.target.matches('[data-auto-submit] select')) event.target.form.requestSubmit();
});
document.addEventListener('keydown', (event) => {
  const send = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
  if (send && event.target.matches('textarea')) event.target.form.requestSubmit();
});
document.addEventListener('submit', (event) => {
  // Not before the form was read: a disabled button is no part of it.
  const { submitter, defaultPrevented } = event;
  if (submitter && !defaultPrevented) setTimeout(() => (submitter.disabled = true));
});
window.addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button:disabled')) button.disabled = false;
});

/* A new run: its form stays as it is until the run has begun, as its images could not be put back */

function refuse(form, text) {
  const line = form.querySelector('.alert') ?? document.createElement('p');
  Object.assign(line, { className: 'alert', role: 'alert' });
  line.replaceChildren(text);
  form.prepend(line);
  return line;
}
const fieldsOf = (form) => fetch(form.action, { method: 'POST', body: new FormData(form) });
/** Sends a form once more with the token of whoever is signed in by now. */
async function sendAnew(form) {
  const page = parse(await (await fetch(form.action)).text());
  const token = page.querySelector('#composer [name=form_token]');
  if (token) form.elements.form_token.value = token.value;
  return fieldsOf(form);
}
async function begin(form) {
  let answer = await fieldsOf(form);
  if (answer.status === 403) answer = await sendAnew(form);
  if (answer.redirected && answer.ok) {
    location.assign(answer.url);
    return;
  }
  if (answer.status === 401) {
    const link = document.createElement('a');
    Object.assign(link, { href: '/login', target: '_blank' }).textContent = 'Sign in';
    refuse(form, 'You are signed out. ').append(link, ' there, then press Run again.');
    return;
  }
  const page = parse(await answer.text());
  const said = page.querySelector('.alert') ?? page.querySelector('h1');
  said?.querySelector('noscript')?.remove();
  refuse(form, said?.textContent ?? 'Nothing was started. Press Run again.');
}
byId('composer')?.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (submitter?.name) return;
  event.preventDefault();
  if (form.ariaBusy === 'true') return;
  form.ariaBusy = 'true';
  begin(form)
    .catch(() => refuse(form, 'The service cannot be reached. Press Run again.'))
    .finally(() => (form.ariaBusy = 'false'));
});

/* Images for a new run: chosen, dropped or pasted */

const images = byId('images');
function countImages() {
  const { length } = images.files;
  write(document.querySelector('[data-count-of=images]'), length ? `${length} attached` : 'Images');
  byId('no-images').hidden = length === 0;
  const { max } = images.dataset;
  images.setCustomValidity(length > Number(max) ? `At most ${max} images.` : '');
}
function addImages(event, files) {
  const found = [...files].filter((file) => images.accept.includes(file.type) && file.type);
  if (found.length === 0) return;
  event.preventDefault();
  const all = new DataTransfer();
  for (const file of [...images.files, ...found]) all.items.add(file);
  images.files = all.files;
  countImages();
}
if (images) {
  const box = byId('composer');
  images.addEventListener('change', countImages);
  byId('no-images').addEventListener('click', () => {
    images.value = '';
    countImages();
    images.focus();
  });
  box.addEventListener('paste', (event) => addImages(event, event.clipboardData.files));
  box.addEventListener('dragover', (event) => event.preventDefault());
  box.addEventListener('drop', (event) => addImages(event, event.dataTransfer.files));
}

/* Review: files are marked as viewed; comments on lines become one follow-up */

const viewedKey = (box) => `viewed ${location.pathname} ${box.dataset.viewed}`;
function showViewed() {
  for (const box of document.querySelectorAll('[data-viewed]')) {
    box.checked = localStorage.getItem(viewedKey(box)) !== null;
    if (box.checked) box.closest('li').querySelector('details').open = false;
  }
}
showViewed();
document.addEventListener('change', ({ target }) => {
  if (!target.dataset.viewed) return;
  if (target.checked) localStorage.setItem(viewedKey(target), '');
  else localStorage.removeItem(viewedKey(target));
  target.closest('li').querySelector('details').open = !target.checked;
});

let ownWords;
function writeReview() {
  const message = byId('message');
  const parts = [...document.querySelectorAll('.comment')].flatMap((field) => {
    const place = `In \`${field.closest('li').dataset.path}\`${field.dataset.line}:`;
    return field.value.trim() ? [[place, field.dataset.quote, field.value.trim()]] : [];
  });
  const comments = parts.map((part) => part.filter(Boolean).join('\n'));
  message.value = [ownWords, ...comments].filter(Boolean).join('\n\n');
}
function comment(after, name, line, quote) {
  if (after.nextElementSibling?.matches('.comment')) {
    after.nextElementSibling.focus();
    return;
  }
  if (!document.querySelector('.comment')) ownWords = byId('message').value;
  const field = document.createElement('textarea');
  Object.assign(field, { className: 'comment', rows: 2, ariaLabel: `Comment on ${name}` });
  Object.assign(field.dataset, { line, quote });
  field.addEventListener('input', writeReview);
  after.after(field);
  field.focus();
}
document.addEventListener('click', ({ target }) => {
  const line = target.closest?.('#changes .diff > span:not(.gap)');
  const file = target.closest?.('[data-comment]');
  if (file) {
    const fold = file.closest('li').querySelector('details');
    fold.open = true;
    comment(fold.firstElementChild, 'the file', '', '');
  }
  if (!line || String(getSelection())) return;
  const number = line.dataset.new || line.dataset.old;
  comment(line, `line ${number}`, `, line ${number}`, `> ${line.textContent}`);
});

/* What somebody writes to a run, comments too, is still there on its other pages, until it is sent */

const draftKey = `draft ${location.pathname.split('/', 3).join('/')}`;
let isSent = false;
if (byId('message')) byId('message').value ||= sessionStorage.getItem(draftKey) ?? '';
document.addEventListener('submit', ({ target }) => {
  isSent = target.id === 'followup';
});
window.addEventListener('pagehide', () => {
  const box = byId('message');
  if (box) sessionStorage.setItem(draftKey, isSent ? '' : box.value);
});

/* Keys: c composes, / searches, j and k go through a list or changed lines, which Enter opens */

function step(by) {
  const all = [...document.querySelectorAll('.run-what > a, #changes .diff > :is(.add, .del)')];
  const stops = all.filter((it) => it.checkVisibility());
  const at = stops.indexOf(document.activeElement);
  const next = stops[at < 0 ? 0 : Math.min(stops.length - 1, Math.max(0, at + by))];
  if (next?.matches('span')) next.tabIndex = -1;
  next?.focus();
}
// The next failure on this page, or else the one that the page links to.
let failure;
function nextFailure() {
  const all = [...document.querySelectorAll('#entries > li:has(.line.bad)')];
  const from = failure ?? document.querySelector('#entries > :target');
  failure = all.find((it) => !from || placeOf(it) > placeOf(from));
  if (failure) failure.scrollIntoView({ block: 'center' });
  else if (byId('next-failure')) {
    const url = new URL(byId('next-failure').href);
    url.searchParams.set('after', lastPlace(byId('entries')));
    location.assign(url);
  }
}
const KEYS = {
  n: nextFailure,
  c: () => (byId('composer') ? byId('prompt').focus() : location.assign('/new#prompt')),
  '/': () => document.querySelector('[type=search]')?.select(),
  j: () => step(1),
  k: () => step(-1),
  Enter: () => document.activeElement.click(),
};
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea, select, [contenteditable]');
  const act = KEYS[event.key];
  if (!act || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  // Some keyboards have the slash on Shift.
  if (event.shiftKey && event.key !== '/') return;
  if (!document.querySelector('.sections')) return;
  if (event.key === 'Enter' && !event.target.matches('.diff > span')) return;
  event.preventDefault();
  act();
});

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !event.shiftKey || !event.target.matches('.find input')) return;
  event.preventDefault();
  byId('previous-match')?.click();
});

async function copy(button) {
  const field = byId(button.dataset.copy);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    write(button, 'Copied');
  } catch {
    write(button, 'Press Ctrl+C');
  }
}
document.addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-copy]');
  if (button) void copy(button);
});
