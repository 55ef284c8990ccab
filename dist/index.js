import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 1916:
/***/ ((__unused_webpack_module, exports) => {

var __webpack_unused_export__;

__webpack_unused_export__ = true;
exports.Io = exports.kp = void 0;
var peq = new Uint32Array(0x10000);
var myers_32 = function (a, b) {
    var n = a.length;
    var m = b.length;
    var lst = 1 << (n - 1);
    var pv = -1;
    var mv = 0;
    var sc = n;
    var i = n;
    while (i--) {
        peq[a.charCodeAt(i)] |= 1 << i;
    }
    for (i = 0; i < m; i++) {
        var eq = peq[b.charCodeAt(i)];
        var xv = eq | mv;
        eq |= ((eq & pv) + pv) ^ pv;
        mv |= ~(eq | pv);
        pv &= eq;
        if (mv & lst) {
            sc++;
        }
        if (pv & lst) {
            sc--;
        }
        mv = (mv << 1) | 1;
        pv = (pv << 1) | ~(xv | mv);
        mv &= xv;
    }
    i = n;
    while (i--) {
        peq[a.charCodeAt(i)] = 0;
    }
    return sc;
};
var myers_x = function (b, a) {
    var n = a.length;
    var m = b.length;
    var mhc = [];
    var phc = [];
    var hsize = Math.ceil(n / 32);
    var vsize = Math.ceil(m / 32);
    for (var i = 0; i < hsize; i++) {
        phc[i] = -1;
        mhc[i] = 0;
    }
    var j = 0;
    for (; j < vsize - 1; j++) {
        var mv_1 = 0;
        var pv_1 = -1;
        var start_1 = j * 32;
        var vlen_1 = Math.min(32, m) + start_1;
        for (var k = start_1; k < vlen_1; k++) {
            peq[b.charCodeAt(k)] |= 1 << k;
        }
        for (var i = 0; i < n; i++) {
            var eq = peq[a.charCodeAt(i)];
            var pb = (phc[(i / 32) | 0] >>> i) & 1;
            var mb = (mhc[(i / 32) | 0] >>> i) & 1;
            var xv = eq | mv_1;
            var xh = ((((eq | mb) & pv_1) + pv_1) ^ pv_1) | eq | mb;
            var ph = mv_1 | ~(xh | pv_1);
            var mh = pv_1 & xh;
            if ((ph >>> 31) ^ pb) {
                phc[(i / 32) | 0] ^= 1 << i;
            }
            if ((mh >>> 31) ^ mb) {
                mhc[(i / 32) | 0] ^= 1 << i;
            }
            ph = (ph << 1) | pb;
            mh = (mh << 1) | mb;
            pv_1 = mh | ~(xv | ph);
            mv_1 = ph & xv;
        }
        for (var k = start_1; k < vlen_1; k++) {
            peq[b.charCodeAt(k)] = 0;
        }
    }
    var mv = 0;
    var pv = -1;
    var start = j * 32;
    var vlen = Math.min(32, m - start) + start;
    for (var k = start; k < vlen; k++) {
        peq[b.charCodeAt(k)] |= 1 << k;
    }
    var score = m;
    for (var i = 0; i < n; i++) {
        var eq = peq[a.charCodeAt(i)];
        var pb = (phc[(i / 32) | 0] >>> i) & 1;
        var mb = (mhc[(i / 32) | 0] >>> i) & 1;
        var xv = eq | mv;
        var xh = ((((eq | mb) & pv) + pv) ^ pv) | eq | mb;
        var ph = mv | ~(xh | pv);
        var mh = pv & xh;
        score += (ph >>> (m - 1)) & 1;
        score -= (mh >>> (m - 1)) & 1;
        if ((ph >>> 31) ^ pb) {
            phc[(i / 32) | 0] ^= 1 << i;
        }
        if ((mh >>> 31) ^ mb) {
            mhc[(i / 32) | 0] ^= 1 << i;
        }
        ph = (ph << 1) | pb;
        mh = (mh << 1) | mb;
        pv = mh | ~(xv | ph);
        mv = ph & xv;
    }
    for (var k = start; k < vlen; k++) {
        peq[b.charCodeAt(k)] = 0;
    }
    return score;
};
var distance = function (a, b) {
    if (a.length < b.length) {
        var tmp = b;
        b = a;
        a = tmp;
    }
    if (b.length === 0) {
        return a.length;
    }
    if (a.length <= 32) {
        return myers_32(a, b);
    }
    return myers_x(a, b);
};
exports.Io = distance;
var closest = function (str, arr) {
    var min_distance = Infinity;
    var min_index = 0;
    for (var i = 0; i < arr.length; i++) {
        var dist = distance(str, arr[i]);
        if (dist < min_distance) {
            min_distance = dist;
            min_index = i;
        }
    }
    return arr[min_index];
};
exports.kp = closest;


/***/ }),

/***/ 181:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("buffer");

/***/ }),

/***/ 4589:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:assert");

/***/ }),

/***/ 6698:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:async_hooks");

/***/ }),

/***/ 4573:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:buffer");

/***/ }),

/***/ 7540:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:console");

/***/ }),

/***/ 7598:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");

/***/ }),

/***/ 3053:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:diagnostics_channel");

/***/ }),

/***/ 610:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:dns");

/***/ }),

/***/ 8474:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");

/***/ }),

/***/ 1455:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs/promises");

/***/ }),

/***/ 7067:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http");

/***/ }),

/***/ 2467:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http2");

/***/ }),

/***/ 7030:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:net");

/***/ }),

/***/ 6760:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");

/***/ }),

/***/ 643:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:perf_hooks");

/***/ }),

/***/ 1792:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:querystring");

/***/ }),

/***/ 99:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:sqlite");

/***/ }),

/***/ 7075:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream");

/***/ }),

/***/ 7830:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream/web");

/***/ }),

/***/ 7997:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers");

/***/ }),

/***/ 8500:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers/promises");

/***/ }),

/***/ 1692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:tls");

/***/ }),

/***/ 3136:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:url");

/***/ }),

/***/ 7975:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util");

/***/ }),

/***/ 3429:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util/types");

/***/ }),

/***/ 5919:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:worker_threads");

/***/ }),

/***/ 8522:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:zlib");

/***/ }),

/***/ 932:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("process");

/***/ }),

/***/ 5964:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   J: () => (/* binding */ askEarly),
/* harmony export */   p: () => (/* binding */ fetchAfter)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(8500);

/** Until the question has left; then loading may keep the processor to itself. */
const LEAVE_WITHIN_MS = 30;
/**
 * Asks GitHub at once for the permission of whoever caused the event: every run needs it first, and the
 * answer travels while hundreds of kilobytes are parsed. Nothing is decided here: the gate asks its
 * question as ever and is given this answer once.
 */
async function askEarly({ settings, surroundings, payload, }) {
    const { githubToken, gate } = settings;
    const { apiUrl, repository } = surroundings;
    const login = personOf(payload);
    const mayAsk = githubToken !== '' && gate.permission !== 'none' && repository !== undefined;
    if (!mayAsk || login === undefined || !mayConcernUs(settings, payload))
        return undefined;
    const place = `${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}`;
    const url = `${apiUrl}/repos/${place}/collaborators/${encodeURIComponent(login)}/permission`;
    const headers = {
        accept: 'application/vnd.github+json',
        authorization: `token ${githubToken}`,
        'user-agent': 'runlink-action',
    };
    const answer = fetch(url, { headers, signal: AbortSignal.timeout(15_000) });
    // Whoever uses the answer sees its failure; until then it must not end the process.
    answer.catch(() => undefined);
    await Promise.race([answer.catch(() => undefined), (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(LEAVE_WITHIN_MS)]);
    return { url, answer };
}
function member(value, name) {
    return typeof value === 'object' && value !== null
        ? new Map(Object.entries(value)).get(name)
        : undefined;
}
function personOf(payload) {
    const sender = member(payload, 'sender');
    const login = member(sender, 'login');
    const isPerson = typeof login === 'string' && member(sender, 'type') === 'User';
    return isPerson && !login.endsWith('[bot]') ? login : undefined;
}
/** Whether the event can come to anything: what is not for us should cost no request. */
function mayConcernUs(settings, payload) {
    const { instruction, skill, runId, label, assignee, phrase } = settings;
    if ([instruction, skill, runId].some((value) => value !== ''))
        return true;
    const action = member(payload, 'action');
    if (label !== undefined && action === 'labeled')
        return true;
    if (assignee !== undefined && action === 'assigned')
        return true;
    if (action !== 'created' && action !== 'submitted' && action !== 'opened')
        return false;
    const bodies = ['comment', 'review', 'issue', 'pull_request'].map((name) => member(member(payload, name), 'body'));
    return bodies.some((body) => typeof body === 'string' && body.toLowerCase().includes(phrase.toLowerCase()));
}
/** `fetch`, but for the one question that was asked already. */
function fetchAfter(early) {
    let left = early;
    return async (input, init) => {
        if (left === undefined || input !== left.url || (init?.method ?? 'GET') !== 'GET') {
            return fetch(input, init);
        }
        const { answer } = left;
        left = undefined;
        return answer;
    };
}


/***/ }),

/***/ 7341:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   j: () => (/* binding */ Interrupted)
/* harmony export */ });
/** Why the work under way was stopped from outside: aborts its signal. */
class Interrupted extends Error {
    by;
    constructor(by) {
        super(by === 'timeout' ? 'The time limit of the step passed.' : `Stopped by ${by}.`);
        this.name = 'Interrupted';
        this.by = by;
    }
}


/***/ }),

/***/ 1542:
/***/ ((__webpack_module__, __unused_webpack___webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.a(__webpack_module__, async (__webpack_handle_async_dependencies__, __webpack_async_result__) => { try {
/* harmony import */ var _early_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(5964);
/* harmony import */ var _interrupted_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(7341);
/* harmony import */ var _prepare_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(4229);
/* harmony import */ var _runner_protocol_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(8198);
/* harmony import */ var _runner_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(7349);





const { env } = process;
// Neither fetch nor undici looks at proxy variables by itself; without one undici is not loaded.
const proxies = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];
const hasProxy = proxies.some((name) => env[name]);
if (hasProxy) {
    const { EnvHttpProxyAgent, setGlobalDispatcher } = await __nccwpck_require__.e(/* import() */ 752).then(__nccwpck_require__.t.bind(__nccwpck_require__, 6752, 19));
    setGlobalDispatcher(new EnvHttpProxyAgent());
}
const controller = new AbortController();
const onSignal = (signal) => controller.abort(new _interrupted_js__WEBPACK_IMPORTED_MODULE_1__/* .Interrupted */ .j(signal));
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
const step = {
    env,
    runner: (0,_runner_protocol_js__WEBPACK_IMPORTED_MODULE_3__/* .createRunner */ .j)(env, (text) => process.stdout.write(text)),
    getInput: (name) => (0,_runner_protocol_js__WEBPACK_IMPORTED_MODULE_3__/* .readInput */ .R)(env, name),
    interrupt: controller.signal,
};
const left = Object.fromEntries(_runner_js__WEBPACK_IMPORTED_MODULE_4__/* .STATE_NAMES */ .p.map((name) => [name, env[`STATE_${name}`]]));
// The same file is action.yml's `main` and `post`: one bundle, one copy of everything.
const isPost = left['started'] === 'true';
async function prepareOrNot() {
    try {
        return await (0,_prepare_js__WEBPACK_IMPORTED_MODULE_2__/* .prepare */ .i)(step);
    }
    catch (error) {
        return { error };
    }
}
if (!isPost || left['finished'] !== 'true') {
    if (!isPost)
        step.runner.state('started', 'true');
    const prepared = await prepareOrNot();
    const early = isPost || hasProxy || 'error' in prepared ? undefined : await (0,_early_js__WEBPACK_IMPORTED_MODULE_0__/* .askEarly */ .J)(prepared);
    const { execute, executePost } = await Promise.all(/* import() */[__nccwpck_require__.e(377), __nccwpck_require__.e(194), __nccwpck_require__.e(803)]).then(__nccwpck_require__.bind(__nccwpck_require__, 1803));
    await (isPost ? executePost(step, prepared, left) : execute(step, prepared, early));
}
process.exit();

__webpack_async_result__();
} catch(e) { __webpack_async_result__(e); } }, 1);

/***/ }),

/***/ 4229:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  i: () => (/* binding */ prepare)
});

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __nccwpck_require__(1455);
// EXTERNAL MODULE: ./build/base/error.js
var base_error = __nccwpck_require__(458);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __nccwpck_require__(6760);
// EXTERNAL MODULE: ./build/base/time.js
var time = __nccwpck_require__(2475);
// EXTERNAL MODULE: ./build/contract/run-state.js
var run_state = __nccwpck_require__(1658);
// EXTERNAL MODULE: ./build/github/gate.js
var gate = __nccwpck_require__(8511);
// EXTERNAL MODULE: ./build/github/permission.js
var permission = __nccwpck_require__(9071);
// EXTERNAL MODULE: ./build/github/plan.js
var plan = __nccwpck_require__(2151);
;// CONCATENATED MODULE: ./build/action/inputs.js
const INPUT_GROUPS = (/* unused pure expression or super */ null && ([
    'Service',
    'What to do',
    'When to start',
    'Who may',
    'The run',
    'Waiting',
    'Reporting',
]));
/** Every input of the Action, in the order of action.yml. No other name is read anywhere. */
const INPUTS = {
    'base-url': {
        group: 'Service',
        description: 'Address of the run service’s API with its version, such as https://runs.example.org/api/v1. Default: the environment variable RUNLINK_BASE_URL.',
    },
    'api-key': {
        group: 'Service',
        description: 'API key of the run service, from a secret. Default: the environment variable RUNLINK_API_KEY.',
    },
    'github-token': {
        group: 'Service',
        description: 'Token for asking permissions, reading context and reporting. Empty: nothing is posted, outputs are still set.',
        default: '${{ github.token }}',
    },
    prompt: {
        group: 'What to do',
        description: 'What the agent is asked. With it any event starts a run.',
    },
    'prompt-file': {
        group: 'What to do',
        description: 'File in the workspace with the prompt; for long ones.',
    },
    'prompt-template': {
        group: 'What to do',
        description: 'Own layout of the prompt, with {{instruction}}, {{context}}, {{repository}}, {{title}}, {{url}}, {{number}}, {{branch}}, {{base}}, {{sha}} and {{actor}}.',
    },
    skill: {
        group: 'What to do',
        description: 'Skill to run, such as owner/repo:path/SKILL.md. With it any event starts a run.',
    },
    'run-id': {
        group: 'What to do',
        description: 'Attach to this run instead of starting one; a prompt is then sent to it as a follow-up.',
    },
    'trigger-phrase': {
        group: 'When to start',
        description: 'First word of a line that makes it a command.',
        default: '/agent',
    },
    'label-trigger': {
        group: 'When to start',
        description: 'Start when this label is added to an issue or pull request.',
    },
    'assignee-trigger': {
        group: 'When to start',
        description: 'Start when this login is assigned.',
    },
    'when-busy': {
        group: 'When to start',
        description: 'What a command does while a run works on the same thread: follow-up, new or skip.',
        default: 'follow-up',
    },
    'request-key': {
        group: 'When to start',
        description: 'Tells steps apart that would otherwise be the same request, as in a matrix.',
        default: '${{ strategy.job-index }}',
    },
    permission: {
        group: 'Who may',
        description: 'Least permission on the repository of whoever caused the event: read, triage, write, maintain or admin. none asks nobody.',
        default: 'write',
    },
    'allowed-users': {
        group: 'Who may',
        description: 'Logins that may all the same, by exact name.',
    },
    'allowed-bots': {
        group: 'Who may',
        description: 'Bots that may start runs, by exact name such as dependabot[bot].',
    },
    'allow-forks': {
        group: 'Who may',
        description: 'Allow work on pull requests from forks, when the command names the head commit with --sha.',
        default: 'false',
    },
    'environment-id': {
        group: 'The run',
        description: 'Environment by id or name. Default: the only one that lists this repository.',
    },
    model: { group: 'The run', description: 'Model id.' },
    agent: { group: 'The run', description: 'Agent identity (uid) that executes the run.' },
    name: { group: 'The run', description: 'Label of the run’s configuration, to filter by.' },
    title: { group: 'The run', description: 'Title of the run. Default: first line of the prompt.' },
    metadata: {
        group: 'The run',
        description: 'Own key/value pairs, as YAML or JSON. Keys that begin with runlink. are ours.',
    },
    config: {
        group: 'The run',
        description: 'Further run configuration, as YAML or JSON, such as `harness: {type: demo}`. The inputs above win over it.',
    },
    wait: {
        group: 'Waiting',
        description: 'Wait for the run to end.',
        default: 'true',
    },
    timeout: {
        group: 'Waiting',
        description: 'How long to wait, such as 90s, 45m or 5h.',
        default: '5h',
    },
    'on-timeout': {
        group: 'Waiting',
        description: 'When the time is over: detach (the run goes on) or cancel.',
        default: 'detach',
    },
    'on-cancel': {
        group: 'Waiting',
        description: 'When the workflow is cancelled: cancel the run or detach. Default: cancel, but detach from a run attached by run-id.',
    },
    'fail-on': {
        group: 'Waiting',
        description: 'States of the run that fail the step; none for no state.',
        default: 'FAILED, ERROR, BLOCKED, CANCELLED',
    },
    comment: {
        group: 'Reporting',
        description: 'Keep one comment about the run on the issue or pull request.',
        default: 'true',
    },
    check: {
        group: 'Reporting',
        description: 'Keep one check about the run on the pull request’s head.',
        default: 'true',
    },
    'check-name': { group: 'Reporting', description: 'Name of that check.', default: 'Runlink' },
    reactions: {
        group: 'Reporting',
        description: 'React to what asked: seen, done, failed.',
        default: 'true',
    },
    mention: {
        group: 'Reporting',
        description: 'End a run that took over two minutes, or that is blocked, with a reply that notifies whoever asked.',
        default: 'true',
    },
    summary: { group: 'Reporting', description: 'Write the job summary.', default: 'true' },
    'dry-run': {
        group: 'Reporting',
        description: 'Show the exact request and send nothing.',
        default: 'false',
    },
};

;// CONCATENATED MODULE: ./build/action/settings.js









/** Reads the raw inputs by name; `get` answers an empty string for one that is not set. */
function readRawInputs(get) {
    const names = Object.keys(INPUTS);
    return Object.fromEntries(names.map((name) => [name, get(name)]));
}
/** Checks every input before any network call; throws `invalid_input` that names the first bad one. */
async function readSettings(raw, fallback) {
    const input = (name) => raw[name].trim();
    return {
        baseUrl: readBaseUrl(input('base-url') || (fallback.baseUrl ?? '')),
        apiKey: required('api-key', input('api-key') || (fallback.apiKey ?? '')),
        githubToken: input('github-token'),
        instruction: await readInstruction(raw, fallback.workspace),
        template: raw['prompt-template'],
        skill: input('skill'),
        runId: input('run-id'),
        phrase: readPhrase(input('trigger-phrase')),
        label: input('label-trigger') || undefined,
        assignee: input('assignee-trigger') || undefined,
        whenBusy: oneOf('when-busy', input('when-busy') || 'follow-up', plan/* WHEN_BUSY */.Vj),
        requestKey: input('request-key'),
        gate: readGate(input),
        ...(await readRun(raw)),
        ...readWaiting(input),
        report: {
            comment: flag('comment', input('comment'), true),
            check: flag('check', input('check'), true),
            reactions: flag('reactions', input('reactions'), true),
            mention: flag('mention', input('mention'), true),
            summary: flag('summary', input('summary'), true),
        },
        checkName: input('check-name') || 'Runlink',
        dryRun: flag('dry-run', input('dry-run'), false),
    };
}
function invalid(name, problem, hint, cause) {
    return new base_error/* RunlinkError */.k('invalid_input', `Input ${name} ${problem}.`, { hint, cause });
}
function required(name, value) {
    if (value !== '')
        return value;
    const hint = name === 'api-key'
        ? 'Set `api-key: ${{ secrets.RUNLINK_API_KEY }}` and add that secret to the repository. Secrets are not given to workflows of forks and Dependabot.'
        : 'Set `base-url: https://…/api/v1`, or the variable RUNLINK_BASE_URL.';
    throw invalid(name, 'is missing', hint);
}
function readBaseUrl(value) {
    const url = URL.parse(required('base-url', value));
    if (url && /^https?:$/.test(url.protocol))
        return value;
    throw invalid('base-url', 'is not an http(s) address', 'Set `base-url: https://…/api/v1`.');
}
function readPhrase(value) {
    const phrase = value === '' ? '/agent' : value;
    if (!/\s/.test(phrase))
        return phrase;
    throw invalid('trigger-phrase', 'has blanks in it', 'Use one word, such as /agent.');
}
function oneOf(name, value, choices) {
    const found = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
    if (found !== undefined)
        return found;
    throw invalid(name, `is "${value}"`, `It takes ${choices.join(', ')}.`);
}
/** YAML 1.2's booleans, as the toolkit reads them. */
function flag(name, value, fallback) {
    if (value === '')
        return fallback;
    return oneOf(name, value, ['true', 'false']) === 'true';
}
async function readInstruction(raw, workspace) {
    const file = raw['prompt-file'].trim();
    if (file === '')
        return raw.prompt.trim();
    if (raw.prompt.trim() !== '') {
        throw invalid('prompt-file', 'is set beside prompt', 'Use one of the two.');
    }
    try {
        const text = (await (0,promises_.readFile)((0,external_node_path_.resolve)(workspace, file), 'utf8')).trim();
        if (text !== '')
            return text;
    }
    catch (error) {
        throw invalid('prompt-file', `cannot be read (${(0,base_error/* errorMessage */.g)(error)})`, 'Check out the repository before this step.', error);
    }
    throw invalid('prompt-file', `names the empty file ${file}`, 'Write the prompt into it.');
}
function readGate(input) {
    const logins = (name) => {
        try {
            return (0,gate/* readLogins */.rC)(input(name));
        }
        catch (error) {
            throw invalid(name, `is refused: ${(0,base_error/* errorMessage */.g)(error)}`, 'Name each login exactly.', error);
        }
    };
    return {
        permission: oneOf('permission', input('permission') || 'write', permission/* PERMISSIONS */.Jj),
        allowedBots: logins('allowed-bots'),
        allowedUsers: logins('allowed-users'),
        allowForks: flag('allow-forks', input('allow-forks'), false),
    };
}
async function readRun(raw) {
    return {
        environment: raw['environment-id'].trim(),
        model: raw.model.trim(),
        agent: raw.agent.trim(),
        name: raw.name.trim(),
        title: raw.title.trim(),
        metadata: await readMetadata(raw.metadata),
        config: await readConfig(raw.config),
    };
}
async function readConfig(text) {
    if (text.trim() === '')
        return {};
    const { agentConfig } = await Promise.all(/* import() */[__nccwpck_require__.e(377), __nccwpck_require__.e(457)]).then(__nccwpck_require__.bind(__nccwpck_require__, 9457));
    return structured('config', text, agentConfig.strict());
}
async function readMetadata(text) {
    if (text.trim() === '')
        return {};
    const { ownMetadata } = await Promise.all(/* import() */[__nccwpck_require__.e(377), __nccwpck_require__.e(781)]).then(__nccwpck_require__.bind(__nccwpck_require__, 8781));
    return structured('metadata', text, ownMetadata);
}
async function structured(name, text, schema) {
    const { formatYamlIssue, parseYaml } = await Promise.all(/* import() */[__nccwpck_require__.e(815), __nccwpck_require__.e(681)]).then(__nccwpck_require__.bind(__nccwpck_require__, 5681));
    const result = parseYaml(text, schema);
    if (result.ok)
        return result.value;
    const faults = result.issues.map((issue) => formatYamlIssue(name, issue)).join('; ');
    throw invalid(name, `is not valid: ${faults}`, 'Write YAML or JSON.');
}
function readWaiting(input) {
    const choices = ['detach', 'cancel'];
    const onCancel = input('on-cancel');
    return {
        wait: flag('wait', input('wait'), true),
        timeoutMs: readTimeout(input('timeout') || '5h'),
        onTimeout: oneOf('on-timeout', input('on-timeout') || 'detach', choices),
        onCancel: onCancel === '' ? undefined : oneOf('on-cancel', onCancel, choices),
        failOn: readFailOn(input('fail-on')),
    };
}
/** Longest time a timer can hold. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;
function readTimeout(value) {
    try {
        return Math.min(TIMEOUT_MAX_MS, (0,time/* parseDurationMs */.y)(value));
    }
    catch (error) {
        throw invalid('timeout', `is "${value}"`, 'Write a duration such as 90s, 45m or 5h.', error);
    }
}
function readFailOn(value) {
    if (value === '')
        return ['FAILED', 'ERROR', 'BLOCKED', 'CANCELLED'];
    if (value.toLowerCase() === 'none')
        return [];
    return value
        .split(/[\s,]+/)
        .filter((state) => state !== '')
        .map((state) => oneOf('fail-on', state, run_state/* TERMINAL_STATES */.kl));
}

;// CONCATENATED MODULE: ./build/action/surroundings.js

/** Reads the runner's environment; GitHub Enterprise Server says its own addresses there. */
function readSurroundings(env) {
    const value = (name) => env[name] || undefined;
    const serverUrl = value('GITHUB_SERVER_URL') ?? 'https://github.com';
    return {
        eventName: surroundings_required(env, 'GITHUB_EVENT_NAME'),
        eventPath: surroundings_required(env, 'GITHUB_EVENT_PATH'),
        apiUrl: (value('GITHUB_API_URL') ?? 'https://api.github.com').replace(/\/+$/, ''),
        serverUrl,
        repository: readRepository(value('GITHUB_REPOSITORY'), serverUrl),
        ref: value('GITHUB_REF')?.replace(/^refs\/(?:heads|tags)\//, ''),
        sha: value('GITHUB_SHA'),
        step: {
            runId: value('GITHUB_RUN_ID') ?? '0',
            attempt: Number(value('GITHUB_RUN_ATTEMPT') ?? 1) || 1,
            job: value('GITHUB_JOB') ?? '',
            step: value('GITHUB_ACTION') ?? '',
        },
        workspace: value('GITHUB_WORKSPACE') ?? '',
    };
}
function surroundings_required(env, name) {
    const value = env[name];
    if (value)
        return value;
    throw new base_error/* RunlinkError */.k('invalid_input', `${name} is not set.`, {
        hint: 'Run this as a step of a GitHub workflow.',
    });
}
function readRepository(fullName, serverUrl) {
    const [owner, name] = fullName?.split('/') ?? [];
    if (!owner || !name)
        return undefined;
    return { owner, name, url: `${serverUrl}/${owner}/${name}`, defaultBranch: undefined };
}

;// CONCATENATED MODULE: ./build/action/prepare.js




/** Masks the secrets, checks the inputs, reads the event. Throws `invalid_input`. */
async function prepare(step) {
    const started = performance.now();
    const raw = readRawInputs(step.getInput);
    maskSecrets(step, raw['api-key'], raw['github-token']);
    const surroundings = readSurroundings(step.env);
    const settings = await readSettings(raw, {
        baseUrl: step.env['RUNLINK_BASE_URL'],
        apiKey: step.env['RUNLINK_API_KEY'],
        workspace: surroundings.workspace,
    });
    return { settings, surroundings, payload: await readPayload(surroundings.eventPath), started };
}
function maskSecrets({ runner, env }, ...inputs) {
    for (const secret of [...inputs, env['RUNLINK_API_KEY'] ?? '']) {
        if (secret.trim() !== '')
            runner.secret(secret.trim());
    }
}
async function readPayload(path) {
    try {
        return JSON.parse(await (0,promises_.readFile)(path, 'utf8'));
    }
    catch (error) {
        throw new base_error/* RunlinkError */.k('invalid_input', `The event at ${path} cannot be read.`, {
            hint: 'Run this as a step of a GitHub workflow.',
            cause: error,
        });
    }
}


/***/ }),

/***/ 8198:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  j: () => (/* binding */ createRunner),
  R: () => (/* binding */ readInput)
});

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __nccwpck_require__(7598);
;// CONCATENATED MODULE: external "node:fs"
const external_node_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");
;// CONCATENATED MODULE: external "node:os"
const external_node_os_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");
// EXTERNAL MODULE: ./build/base/error.js
var error = __nccwpck_require__(458);
;// CONCATENATED MODULE: ./build/action/runner-protocol.js




/**
 * The runner's protocol: commands on stdout and files named by the environment, as GitHub documents
 * them. The toolkit does the same (a test holds both together) but loads an HTTP client for it, which
 * costs 40 ms and 1.7 MB.
 */
function createRunner(env, write) {
    const command = (name, message) => write(`::${name}::${escapeData(message)}${external_node_os_namespaceObject.EOL}`);
    const append = (file, key, value) => {
        const path = env[file];
        if (path)
            (0,external_node_fs_namespaceObject.appendFileSync)(path, `${keyValue(key, value)}${external_node_os_namespaceObject.EOL}`);
    };
    return {
        info: (line) => write(`${single(line)}${external_node_os_namespaceObject.EOL}`),
        debug: (line) => {
            if (env['RUNNER_DEBUG'] === '1')
                command('debug', line);
        },
        notice: (line) => command('notice', line),
        warning: (line) => command('warning', line),
        error: (line) => command('error', line),
        quote: (text) => {
            const token = (0,external_node_crypto_.randomUUID)();
            write(`::stop-commands::${token}${external_node_os_namespaceObject.EOL}${text}${external_node_os_namespaceObject.EOL}::${token}::${external_node_os_namespaceObject.EOL}`);
        },
        secret: (value) => command('add-mask', value),
        output: (name, value) => append('GITHUB_OUTPUT', name, value),
        state: (name, value) => append('GITHUB_STATE', name, value),
        summary: (markdown) => {
            const path = env['GITHUB_STEP_SUMMARY'];
            if (path)
                (0,external_node_fs_namespaceObject.appendFileSync)(path, `${markdown}${external_node_os_namespaceObject.EOL}`);
        },
        fail: (line) => {
            process.exitCode = 1;
            command('error', line);
        },
    };
}
/** The value of an input, as the runner puts it into the environment. */
function readInput(env, name) {
    return env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] ?? '';
}
function escapeData(text) {
    return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
/** The delimiter is random, so that no value can end itself and set another output (threats.md G11). */
function keyValue(key, value) {
    const delimiter = `ghadelimiter_${(0,external_node_crypto_.randomUUID)()}`;
    if (value.includes(delimiter)) {
        throw new error/* RunlinkError */.k('internal_error', 'A value holds its own random delimiter.');
    }
    return `${key}<<${delimiter}${external_node_os_namespaceObject.EOL}${value}${external_node_os_namespaceObject.EOL}${delimiter}`;
}
/** One line that the runner cannot take for a command. */
function single(line) {
    return line
        .replaceAll(/[\r\n]+/g, ' ')
        .replace(/^(\s*)::/, '$1: :')
        .replace(/^(\s*)##\[/, '$1# #[');
}


/***/ }),

/***/ 7349:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   p: () => (/* binding */ STATE_NAMES)
/* harmony export */ });
/** What main leaves for post, should it be ended before it could finish. */
const STATE_NAMES = [
    'started',
    'request-id',
    'run-id',
    'comment-id',
    'check-id',
    'head-sha',
    'attached',
    'finished',
];


/***/ }),

/***/ 458:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   g: () => (/* binding */ errorMessage),
/* harmony export */   k: () => (/* binding */ RunlinkError)
/* harmony export */ });
/**
 * The error every room throws across its border: a stable machine code, a sentence that says what
 * happened, and a hint that says what to do next.
 */
class RunlinkError extends Error {
    code;
    hint;
    constructor(code, message, options = {}) {
        super(message, options.cause === undefined ? undefined : { cause: options.cause });
        this.name = 'RunlinkError';
        this.code = code;
        this.hint = options.hint;
    }
}
/** The text of anything that was thrown, for logs and reports. */
function errorMessage(thrown) {
    if (!(thrown instanceof Error))
        return String(thrown);
    const cause = thrown.cause instanceof Error ? ` (${thrown.cause.message})` : '';
    return thrown.message + cause;
}


/***/ }),

/***/ 2475:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   a: () => (/* binding */ formatDuration),
/* harmony export */   sleep: () => (/* binding */ sleep),
/* harmony export */   y: () => (/* binding */ parseDurationMs)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(8500);
/* harmony import */ var _error_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(458);


const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/i;
/** Milliseconds of a duration such as `90s`, `45m`, `5h`; throws `invalid_duration` for anything else. */
function parseDurationMs(text) {
    const match = DURATION.exec(text.trim());
    const unit = match?.[2]?.toLowerCase();
    if (!match?.[1] || !unit) {
        throw new _error_js__WEBPACK_IMPORTED_MODULE_1__/* .RunlinkError */ .k('invalid_duration', `"${text}" is not a duration.`, {
            hint: 'Write a number and a unit, such as 90s, 45m or 5h.',
        });
    }
    return Number(match[1]) * UNIT_MS[unit];
}
/** A duration as people read it: `4.2s`, `3m 20s`, `2h 5m`. */
function formatDuration(ms) {
    if (ms < 10_000)
        return `${(ms / 1000).toFixed(1)}s`;
    const seconds = Math.round(ms / 1000);
    if (seconds < 60)
        return `${seconds}s`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60)
        return `${minutes}m ${seconds % 60}s`;
    return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
/** Waits; rejects with the signal's reason as soon as it is aborted. */
async function sleep(ms, signal) {
    try {
        await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(ms, undefined, signal ? { signal } : {});
    }
    catch (error) {
        throw signal?.aborted ? signal.reason : error;
    }
}


/***/ }),

/***/ 1658:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Hd: () => (/* binding */ isTerminal),
/* harmony export */   kl: () => (/* binding */ TERMINAL_STATES),
/* harmony export */   vP: () => (/* binding */ RUN_STATES)
/* harmony export */ });
/** The states a run can be in here (interface.md 3). */
const RUN_STATES = [
    'QUEUED',
    'PENDING',
    'INPROGRESS',
    'SUCCEEDED',
    'FAILED',
    'ERROR',
    'BLOCKED',
    'CANCELLED',
];
/** States in which a run has ended; every other value, known or not, means it still works (rules.md). */
const TERMINAL_STATES = ['SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED'];
function isTerminal(state) {
    return TERMINAL_STATES.includes(state);
}


/***/ }),

/***/ 8511:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   cC: () => (/* binding */ gateFork),
/* harmony export */   i3: () => (/* binding */ pinHead),
/* harmony export */   nk: () => (/* binding */ gateActor),
/* harmony export */   rC: () => (/* binding */ readLogins)
/* harmony export */ });
/* harmony import */ var _base_error_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(458);
/* harmony import */ var _permission_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(9071);
/* harmony import */ var _reason_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(5192);
/* harmony import */ var _trigger_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(257);




/**
 * Events that GitHub accepts only from people (or tokens) with write access, so that they prove it
 * where no token is at hand to ask.
 */
const PROVES_WRITE = ['push', 'workflow_dispatch', 'repository_dispatch', 'merge_group'];
/** Splits a list input of exact logins; throws `wildcard_refused` for patterns (threats.md G1, G2). */
function readLogins(list) {
    const logins = list.split(/[\s,]+/).filter((login) => login !== '');
    const pattern = logins.find((login) => /[*?]/.test(login));
    if (pattern !== undefined) {
        throw new _base_error_js__WEBPACK_IMPORTED_MODULE_0__/* .RunlinkError */ .k('wildcard_refused', `"${pattern}" is a pattern, not a login.`, {
            hint: 'Name each login exactly; anybody could match a pattern.',
        });
    }
    return logins.map((login) => login.replace(/^@/, ''));
}
/**
 * May the person behind this event start or steer a run here? Asked of GitHub at this moment, and
 * refused when GitHub does not say (threats.md G1, G2, G13). Without `github` nobody can be asked.
 */
async function gateActor(github, event, rules) {
    const { actor } = event;
    if (!actor) {
        const needsActor = event.thread !== undefined || event.comment !== undefined;
        return needsActor ? refuse('no_actor') : { allowed: true, permission: 'not asked' };
    }
    return (gateByName(event, actor, rules) ??
        (github ? gateByPermission(github, event, rules, actor.login) : gateWithoutToken(event, rules)));
}
/** What the sender's identity alone decides; undefined when it is the permission that does. */
function gateByName(event, actor, rules) {
    const isIn = (list) => list.some((one) => (0,_trigger_js__WEBPACK_IMPORTED_MODULE_3__/* .sameName */ .q)(one, actor.login));
    const isListedBot = isIn(rules.allowedBots);
    if (isIn(rules.ownLogins) && !isListedBot)
        return refuse('own_comment');
    if (event.comment && !(0,_trigger_js__WEBPACK_IMPORTED_MODULE_3__/* .sameName */ .q)(event.comment.author, actor.login)) {
        return refuse('actor_mismatch');
    }
    if (actor.type === 'Bot') {
        return isListedBot ? { allowed: true, permission: 'listed' } : refuse('bot');
    }
    if (isIn(rules.allowedUsers))
        return { allowed: true, permission: 'listed' };
    return rules.permission === 'none' ? { allowed: true, permission: 'not asked' } : undefined;
}
async function gateByPermission(github, event, rules, login) {
    let held;
    try {
        held = await (0,_permission_js__WEBPACK_IMPORTED_MODULE_1__/* .askPermission */ .fF)(github, event.repository, login);
    }
    catch (error) {
        return refuse('permission_unknown', `GitHub was asked about ${login}: ${(0,_base_error_js__WEBPACK_IMPORTED_MODULE_0__/* .errorMessage */ .g)(error)}`);
    }
    if ((0,_permission_js__WEBPACK_IMPORTED_MODULE_1__/* .meets */ .D)(held, rules.permission))
        return { allowed: true, permission: held };
    return refuse('actor_below_bar', `This needs \`${rules.permission}\` permission on the repository; ${login} has \`${held}\`.`);
}
function gateWithoutToken(event, rules) {
    if (PROVES_WRITE.includes(event.name) && (0,_permission_js__WEBPACK_IMPORTED_MODULE_1__/* .meets */ .D)('write', rules.permission)) {
        return { allowed: true, permission: 'write' };
    }
    return refuse('permission_unknown', 'There is no token to ask GitHub with who may do this: pass `github-token`.');
}
/**
 * The head to work on, read at this moment (threats.md G6): a comment's payload does not carry it,
 * and what the payload says may be older than the command. Undefined off pull requests.
 */
async function pinHead(github, event) {
    const { thread, head, repository } = event;
    if (thread?.kind !== 'pull_request')
        return { head: undefined, base: undefined };
    if (head && event.name === 'pull_request')
        return { head, base: thread.base };
    if (!github)
        return head ? { head, base: thread.base } : refuse('head_unknown');
    try {
        const { data } = await github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
            owner: repository.owner,
            repo: repository.name,
            pull_number: thread.number,
        });
        const from = data.head.repo?.full_name ?? '';
        const fork = from.toLowerCase() !== data.base.repo.full_name.toLowerCase();
        const pinned = { sha: data.head.sha, ref: data.head.ref, repository: from, fork };
        return { head: pinned, base: data.base.ref };
    }
    catch (error) {
        return refuse('head_unknown', (0,_base_error_js__WEBPACK_IMPORTED_MODULE_0__/* .errorMessage */ .g)(error));
    }
}
/** A full commit id; a shorter one could be matched by a made-up commit. */
const FULL_SHA = /\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b/gi;
/** Work on a fork's pull request needs permission here and its head named in the asker's own words. */
function gateFork(head, rules, asked) {
    if (!head?.fork)
        return { allowed: true };
    if (!rules.allowForks)
        return refuse('fork');
    const named = asked.sha === undefined ? (asked.text.match(FULL_SHA) ?? []) : [asked.sha];
    if (named.length === 0) {
        return refuse('fork_sha_required', `Name the commit you have read: \`--sha ${head.sha}\`.`);
    }
    if (named.some((sha) => sha.toLowerCase() === head.sha.toLowerCase()))
        return { allowed: true };
    return refuse('fork_sha_mismatch', `The head is \`${head.sha}\` now; read that one first.`);
}
function refuse(reason, detail) {
    return {
        allowed: false,
        reason,
        detail: detail ?? `Nothing was started: ${_reason_js__WEBPACK_IMPORTED_MODULE_2__/* .REASONS */ .e[reason].text}.`,
    };
}


/***/ }),

/***/ 5549:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Dd: () => (/* binding */ parseMarkdown),
/* harmony export */   GG: () => (/* binding */ walk),
/* harmony export */   Ln: () => (/* binding */ span)
/* harmony export */ });
/** Parses GitHub-flavoured Markdown. Loaded on first use: paths without a command pay nothing. */
async function parseMarkdown(source) {
    const [{ fromMarkdown }, { gfm }, { gfmFromMarkdown }] = await Promise.all([
        __nccwpck_require__.e(/* import() */ 761).then(__nccwpck_require__.bind(__nccwpck_require__, 4761)),
        __nccwpck_require__.e(/* import() */ 209).then(__nccwpck_require__.bind(__nccwpck_require__, 209)),
        __nccwpck_require__.e(/* import() */ 444).then(__nccwpck_require__.bind(__nccwpck_require__, 444)),
    ]);
    return fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}
/** Every node under `node`, itself first. */
function* walk(node) {
    yield node;
    if ('children' in node)
        for (const child of node.children)
            yield* walk(child);
}
/** Where a node stands in the source, as [start, end) in UTF-16 units. */
function span(node) {
    return [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
}


/***/ }),

/***/ 987:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   c: () => (/* binding */ statusOf)
/* harmony export */ });
/** HTTP status of what Octokit threw; undefined when it was nothing of Octokit's. */
function statusOf(thrown) {
    if (typeof thrown !== 'object' || thrown === null || !('status' in thrown))
        return undefined;
    return typeof thrown.status === 'number' ? thrown.status : undefined;
}


/***/ }),

/***/ 9071:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   D: () => (/* binding */ meets),
/* harmony export */   Jj: () => (/* binding */ PERMISSIONS),
/* harmony export */   fF: () => (/* binding */ askPermission)
/* harmony export */ });
/* unused harmony export permissionLevel */
/* harmony import */ var _base_error_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(458);
/* harmony import */ var _octokit_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(987);


/** What a person may do on a repository, weakest first. */
const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];
/** Names GitHub gives the levels in its two fields; `pull` and `push` are the older API's. */
const LEVELS = {
    none: 'none',
    read: 'read',
    pull: 'read',
    triage: 'triage',
    write: 'write',
    push: 'write',
    maintain: 'maintain',
    admin: 'admin',
};
function meets(held, bar) {
    return PERMISSIONS.indexOf(held) >= PERMISSIONS.indexOf(bar);
}
/**
 * The level behind GitHub's two answers: `permission` knows only admin, write, read and none,
 * `role_name` also maintain, triage and custom names. The role may refine the permission (triage is
 * told as read, maintain as write), never exceed it; what neither names is none.
 */
function permissionLevel(permission, role) {
    const legacy = level(permission);
    const named = level(role);
    if (legacy === undefined)
        return 'none';
    if (named === undefined)
        return legacy;
    if (legacy === 'write' && named === 'maintain')
        return named;
    if (legacy === 'read' && named === 'triage')
        return named;
    return meets(legacy, named) ? named : legacy;
}
function level(name) {
    return typeof name === 'string' && Object.hasOwn(LEVELS, name) ? LEVELS[name] : undefined;
}
/** A person's level, asked of GitHub now; 404 is somebody without any. Other failures are thrown. */
async function askPermission(github, repository, login) {
    try {
        const { data } = await github.request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', { owner: repository.owner, repo: repository.name, username: login });
        const { permission, role_name: role } = data;
        // An answer cut off on its way arrives as an empty one: it says nothing, not "none".
        if (typeof permission === 'string')
            return permissionLevel(permission, role);
    }
    catch (error) {
        if ((0,_octokit_js__WEBPACK_IMPORTED_MODULE_1__/* .statusOf */ .c)(error) === 404)
            return 'none';
        throw error;
    }
    throw new _base_error_js__WEBPACK_IMPORTED_MODULE_0__/* .RunlinkError */ .k('github_unreadable', 'GitHub’s answer names no permission.');
}


/***/ }),

/***/ 2151:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   VV: () => (/* binding */ planCommand),
/* harmony export */   Vj: () => (/* binding */ WHEN_BUSY),
/* harmony export */   dE: () => (/* binding */ doesWork)
/* harmony export */ });
/* harmony import */ var _contract_run_state_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(1658);

/** What to do with work that is asked for while a run works on the same thread (rules.md). */
const WHEN_BUSY = ['follow-up', 'new', 'skip'];
/** Verbs that do work, so that forks and limits matter to them. */
function doesWork(verb) {
    return verb !== 'status' && verb !== 'cancel' && verb !== 'help';
}
/** What a command comes to on a thread, the same in Action and App (rules.md, "Commands"). */
function planCommand(command, threadRun, whenBusy) {
    const { verb } = command;
    if (verb === 'help')
        return { do: 'help' };
    if (verb === 'new')
        return { do: 'create', prompt: command.prompt };
    if (verb === 'run' || verb === 'custom')
        return planWork(command, threadRun, whenBusy);
    return threadRun ? planOnRun(command, threadRun) : { do: 'refuse', reason: 'no_run' };
}
function planWork(command, threadRun, whenBusy) {
    if (!threadRun || command.prompt === '')
        return { do: 'create', prompt: command.prompt };
    if ((0,_contract_run_state_js__WEBPACK_IMPORTED_MODULE_0__/* .isTerminal */ .Hd)(threadRun.state) || whenBusy === 'follow-up')
        return followUp(command, threadRun);
    if (whenBusy === 'new')
        return { do: 'create', prompt: command.prompt };
    return { do: 'skip', reason: 'busy' };
}
function planOnRun(command, { runId, state }) {
    if (command.verb === 'status')
        return { do: 'status', runId };
    if (command.verb === 'follow')
        return followUp(command, { runId, state });
    const ended = (0,_contract_run_state_js__WEBPACK_IMPORTED_MODULE_0__/* .isTerminal */ .Hd)(state);
    if (command.verb === 'cancel') {
        return ended ? { do: 'refuse', reason: 'run_ended' } : { do: 'cancel', runId };
    }
    return ended ? { do: 'retry', runId } : { do: 'skip', reason: 'busy' };
}
function followUp({ prompt, options }, { runId }) {
    const ignoredOptions = Object.keys(options).filter((name) => name !== 'sha');
    return { do: 'follow_up', runId, message: prompt, ignoredOptions };
}


/***/ }),

/***/ 5192:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   e: () => (/* binding */ REASONS)
/* harmony export */ });
/**
 * Every reason why an event, a command or a run ended as it did: the stable codes of logs, counters
 * and the Action's output `reason-code` (house.md decision 8). `skip`: not for us, nobody waits.
 * `refusal`: a person waits and is told. `done`, `failure`: how a request that was taken up ended.
 */
const REASONS = {
    unsupported_event: { kind: 'skip', text: 'this event starts nothing here' },
    unreadable_payload: { kind: 'skip', text: 'the event’s payload is not what GitHub documents' },
    not_created: { kind: 'skip', text: 'only new comments count, not edits or deletions' },
    not_a_command: { kind: 'skip', text: 'the text holds no command' },
    label_mismatch: { kind: 'skip', text: 'another label was added' },
    assignee_mismatch: { kind: 'skip', text: 'somebody else was assigned' },
    bot: { kind: 'skip', text: 'bots start nothing unless they are listed by name' },
    own_comment: { kind: 'skip', text: 'our own comments never start anything' },
    duplicate_delivery: { kind: 'skip', text: 'this delivery was taken up before' },
    duplicate_request: { kind: 'skip', text: 'this request has its run already' },
    busy: { kind: 'skip', text: 'a run is working on this thread already' },
    no_actor: { kind: 'refusal', text: 'the event does not say who caused it' },
    actor_mismatch: { kind: 'refusal', text: 'the sender is not the author of the text' },
    actor_below_bar: { kind: 'refusal', text: 'the permission on this repository is too low' },
    permission_unknown: { kind: 'refusal', text: 'GitHub did not answer what permission they have' },
    fork: { kind: 'refusal', text: 'runs on pull requests from forks are not allowed here' },
    fork_sha_required: { kind: 'refusal', text: 'the command must name the commit of the fork' },
    fork_sha_mismatch: { kind: 'refusal', text: 'the named commit is no longer the head' },
    head_unknown: { kind: 'refusal', text: 'the head commit of the pull request could not be read' },
    unknown_command: { kind: 'refusal', text: 'there is no such command' },
    unknown_option: { kind: 'refusal', text: 'there is no such option' },
    option_without_value: { kind: 'refusal', text: 'an option lacks its value' },
    no_prompt: { kind: 'refusal', text: 'the command says nothing to do' },
    command_not_allowed: { kind: 'refusal', text: 'this command is reserved for others here' },
    limit_reached: { kind: 'refusal', text: 'the limit of runs is reached' },
    no_run: { kind: 'refusal', text: 'there is no run on this thread' },
    run_ended: { kind: 'refusal', text: 'the run has ended already' },
    not_cancellable: { kind: 'refusal', text: 'the service cannot cancel this kind of run' },
    reported_status: { kind: 'done', text: 'the state was reported' },
    reported_help: { kind: 'done', text: 'the help was shown' },
    cancel_requested: { kind: 'done', text: 'the run was cancelled on command' },
    started: { kind: 'done', text: 'the run was started and is not waited for' },
    dry_run: { kind: 'done', text: 'the request was shown and not sent' },
    succeeded: { kind: 'done', text: 'the run succeeded' },
    failed: { kind: 'failure', text: 'the run failed' },
    errored: { kind: 'failure', text: 'the run broke on the service’s side' },
    blocked: { kind: 'failure', text: 'the run needs somebody’s answer' },
    cancelled: { kind: 'failure', text: 'the run was cancelled' },
    timed_out: { kind: 'failure', text: 'the time limit of the step passed' },
    interrupted: { kind: 'failure', text: 'the workflow was cancelled' },
    run_vanished: { kind: 'failure', text: 'the service no longer knows the run' },
    service_unreachable: { kind: 'failure', text: 'the service did not answer as it should' },
    service_refused: { kind: 'failure', text: 'the service refused the request' },
    github_unreachable: { kind: 'failure', text: 'GitHub did not answer as it should' },
    invalid_input: { kind: 'failure', text: 'an input is missing or wrong' },
    internal_error: { kind: 'failure', text: 'something went wrong on our side' },
};


/***/ }),

/***/ 257:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  O: () => (/* binding */ findTrigger),
  q: () => (/* binding */ sameName)
});

// EXTERNAL MODULE: ./node_modules/fastest-levenshtein/mod.js
var mod = __nccwpck_require__(1916);
// EXTERNAL MODULE: ./build/github/markdown.js
var markdown = __nccwpck_require__(5549);
;// CONCATENATED MODULE: ./build/github/command-text.js

/** Blocks that hold the author's own lines; quotes, code, HTML, tables and footnotes do not. */
const OPEN_BLOCKS = ['root', 'list', 'listItem'];
const LINE_BLOCKS = ['paragraph', 'heading'];
/**
 * The text behind each occurrence of `phrase` as first word of a line of the author's own text, up to
 * the next occurrence. Line ends are `\n`; HTML comments are left out.
 */
async function findCommandText(body, phrase) {
    const wanted = phrase.trim();
    if (wanted === '' || !body.toLowerCase().includes(wanted.toLowerCase()))
        return [];
    const source = body.replaceAll(/\r\n?/g, '\n');
    const tree = await (0,markdown/* parseMarkdown */.Dd)(source);
    const starts = [...lineBlocks(tree)].flatMap((block) => commandStarts(block, source, wanted));
    const comments = [...(0,markdown/* walk */.GG)(tree)].filter(isHtmlComment).map(markdown/* span */.Ln);
    return starts.map((start, position) => {
        const end = starts[position + 1] ?? source.length;
        return without(comments, source, start + wanted.length, end).trim();
    });
}
function* lineBlocks(node) {
    if (LINE_BLOCKS.includes(node.type))
        yield node;
    else if (OPEN_BLOCKS.includes(node.type) && 'children' in node) {
        for (const child of node.children)
            yield* lineBlocks(child);
    }
}
/** Offsets in `source` at which a line of this block begins with the phrase as a word of plain text. */
function commandStarts(block, source, phrase) {
    const [blockStart, blockEnd] = (0,markdown/* span */.Ln)(block);
    const plain = 'children' in block ? block.children.filter((child) => child.type === 'text') : [];
    const lineStart = source.lastIndexOf('\n', blockStart - 1) + 1;
    const starts = [];
    for (let at = lineStart; at < blockEnd; at = nextLine(source, at)) {
        const first = at + (/^[^\S\n]*/.exec(source.slice(at, blockEnd))?.[0].length ?? 0);
        if (!beginsWithWord(source, first, phrase))
            continue;
        const inPlainText = plain.some((child) => {
            const [start, end] = (0,markdown/* span */.Ln)(child);
            return start <= first && first + phrase.length <= end;
        });
        if (inPlainText)
            starts.push(first);
    }
    return starts;
}
function nextLine(source, at) {
    const end = source.indexOf('\n', at);
    return end === -1 ? source.length : end + 1;
}
function beginsWithWord(source, at, phrase) {
    const word = source.slice(at, at + phrase.length);
    const after = source.slice(at + phrase.length, at + phrase.length + 1);
    return word.toLowerCase() === phrase.toLowerCase() && (after === '' || /\s/.test(after));
}
function isHtmlComment(node) {
    return node.type === 'html' && node.value.trimStart().startsWith('<!--');
}
/** `source` from `start` to `end` without what lies in `holes`. */
function without(holes, source, start, end) {
    let text = '';
    let at = start;
    for (const [from, to] of holes) {
        if (to <= at || from >= end)
            continue;
        text += source.slice(at, Math.max(at, from));
        at = Math.max(at, to);
    }
    return at < end ? text + source.slice(at, end) : text;
}

;// CONCATENATED MODULE: ./build/github/command-options.js

/** What a command may set besides its text. */
const OPTION_NAMES = ['model', 'environment', 'skill', 'sha'];
const OPTION = /^--([a-z][\w-]*)(?:=(.*))?$/i;
/** A word, or a quoted value with blanks in it. */
const WORD = /--[\w-]+="[^"\n]*"|"[^"\n]*"|\S+/g;
/** Verbs behind which options may stand as well as before them. */
const LEADING_WORD = /^(?:status|cancel|retry|follow|new|help)$/i;
const OPTION_DISTANCE = 2;
/**
 * Takes `--name value` pairs off the first line of a command: those before its text (or right after
 * its verb), and those at the very end of the line. In the middle `--flag` is the person's prose, and
 * in backticks it is prose anywhere.
 */
function readOptions(text) {
    const [line = ''] = text.split('\n', 1);
    const rest = text.slice(line.length);
    const words = [...line.matchAll(WORD)].map((match) => ({
        text: match[0],
        start: match.index,
        end: match.index + match[0].length,
    }));
    const verb = words.length > 0 && LEADING_WORD.test(words[0]?.text ?? '') ? words[0] : undefined;
    const leading = takeLeading(verb ? words.slice(1) : words);
    if ('problem' in leading)
        return leading;
    const trailing = takeTrailing(leading.words);
    if ('problem' in trailing)
        return trailing;
    const [first, last] = [trailing.words[0], trailing.words.at(-1)];
    const prose = first && last ? line.slice(first.start, last.end) : '';
    return {
        text: (verb ? `${verb.text} ${prose}`.trimEnd() + rest : prose + rest).trim(),
        options: { ...leading.options, ...trailing.options },
    };
}
function takeLeading(words) {
    const options = {};
    let at = 0;
    for (;;) {
        const option = readOption(words[at]);
        if (!option)
            return { options, words: words.slice(at) };
        const name = toOptionName(option.name);
        if (name === undefined)
            return { problem: unknownOption(option.name) };
        const value = option.value ?? words[at + 1]?.text;
        if (!isValue(value))
            return { problem: { reason: 'option_without_value', word: `--${name}` } };
        options[name] = unquote(value);
        at += option.value === undefined ? 2 : 1;
    }
}
/** Reads pairs backwards from the end of the line; stops at the first word that is prose. */
function takeTrailing(words) {
    const options = {};
    let end = words.length;
    for (;;) {
        const pair = lastPair(words.slice(0, end));
        if (!pair)
            return { options, words: words.slice(0, end) };
        if ('problem' in pair)
            return pair;
        options[pair.name] ??= pair.value;
        end -= pair.length;
    }
}
/** `--name value` or `--name=value` at the end of these words; undefined when they end in prose. */
function lastPair(words) {
    const alone = readOption(words.at(-1));
    if (alone)
        return toPair(alone.name, alone.value, 1);
    const before = readOption(words.at(-2));
    return before?.value === undefined && before
        ? toPair(before.name, words.at(-1)?.text, 2)
        : undefined;
}
function readOption(word) {
    const match = OPTION.exec(word?.text ?? '');
    return match?.[1] === undefined ? undefined : { name: match[1], value: match[2] };
}
function toPair(word, value, length) {
    const name = toOptionName(word);
    if (name === undefined)
        return nearMiss(word);
    if (!isValue(value))
        return { problem: { reason: 'option_without_value', word: `--${name}` } };
    return { name, value: unquote(value), length };
}
/** At the end of a line only a near miss of an option is taken for one; the rest is prose. */
function nearMiss(word) {
    const problem = unknownOption(word);
    const isNear = (0,mod/* distance */.Io)(problem.word, problem.nearest) <= OPTION_DISTANCE;
    return isNear ? { problem } : undefined;
}
function unquote(value) {
    return value.replaceAll(/^"|"$/g, '').trim();
}
function isValue(value) {
    return value !== undefined && unquote(value) !== '' && !value.startsWith('--');
}
function toOptionName(word) {
    return OPTION_NAMES.find((name) => name === word.toLowerCase());
}
function unknownOption(word) {
    const nearest = (0,mod/* closest */.kp)(word.toLowerCase(), [...OPTION_NAMES]);
    return { reason: 'unknown_option', word: `--${word}`, nearest: `--${nearest}` };
}

;// CONCATENATED MODULE: ./build/github/command.js



const VERBS = ['status', 'cancel', 'retry', 'follow', 'new', 'help'];
/** Verbs that take no text: with more words behind them they are the first word of a prompt. */
const BARE_VERBS = ['status', 'cancel', 'retry', 'help'];
/** Typing errors that are still taken for a verb, and not for a one-word prompt. */
const VERB_DISTANCE = 2;
/**
 * The commands of a comment, review or issue text, in order. A command is the phrase as first word of
 * a line of the author's own text, up to the next command or the end (rules.md, "Commands").
 */
async function readCommands(body, grammar) {
    const texts = await findCommandText(body, grammar.phrase);
    return texts.map((text, position) => readCommand(text, position + 1, grammar));
}
function readCommand(text, index, grammar) {
    const read = readOptions(text);
    if ('problem' in read)
        return { index, problem: read.problem };
    const [, word = '', rest = ''] = /^(\S*)([\s\S]*)$/.exec(read.text) ?? [];
    const asked = readAsked(word, rest.trim(), rest, grammar.custom ?? []);
    if ('reason' in asked)
        return { index, problem: asked };
    const prompt = asked.verb === 'run' ? read.text : asked.prompt;
    if (prompt === '' && needsPrompt(asked.verb, read.options)) {
        return { index, problem: { reason: 'no_prompt' } };
    }
    return { index, options: read.options, ...asked, prompt };
}
function readAsked(word, prompt, rest, names) {
    const custom = names.find((one) => one.toLowerCase() === word.toLowerCase());
    if (custom)
        return { verb: 'custom', name: custom, prompt };
    const verb = readVerb(word, rest);
    if (verb)
        return { verb, name: undefined, prompt: BARE_VERBS.includes(verb) ? '' : prompt };
    const nearest = prompt === '' ? nearestVerb(word, names) : undefined;
    if (nearest)
        return { reason: 'unknown_command', word, nearest };
    return { verb: 'run', name: undefined, prompt };
}
function needsPrompt(verb, options) {
    if (verb === 'run' || verb === 'new')
        return options.skill === undefined;
    return verb === 'follow';
}
/** The verb a command begins with, unless it is only the first word of a sentence. */
function readVerb(word, rest) {
    const name = word.toLowerCase();
    const [sameLine = ''] = rest.split('\n', 1);
    const isSentence = BARE_VERBS.includes(name) && sameLine.trim() !== '';
    return isVerb(name) && !isSentence ? name : undefined;
}
function isVerb(word) {
    return VERBS.includes(word);
}
/** The verb a lone word was probably meant to be. */
function nearestVerb(word, custom) {
    const name = word.toLowerCase();
    const nearest = (0,mod/* closest */.kp)(name, [...VERBS, ...custom]);
    const allowed = Math.min(VERB_DISTANCE, Math.floor(nearest.length / 2));
    return name !== '' && (0,mod/* distance */.Io)(name, nearest) <= allowed ? nearest : undefined;
}

;// CONCATENATED MODULE: ./build/github/trigger.js

/** Actions that bring new text of a person: only these are read for commands (threats.md G3). */
const NEW_TEXT = {
    issue_comment: 'created',
    pull_request_review_comment: 'created',
    pull_request_review: 'submitted',
    issues: 'opened',
    pull_request: 'opened',
};
/** What in this event asks for something, or why nothing does. */
async function findTrigger(event, triggers) {
    const isNewText = NEW_TEXT[event.name] !== undefined && NEW_TEXT[event.name] === event.action;
    if (isNewText) {
        const commands = await readCommands(newText(event), triggers);
        if (commands.length > 0)
            return { trigger: { kind: 'commands', commands } };
    }
    const named = namedTrigger(event, triggers);
    if (named)
        return named;
    const waitsForName = triggers.label !== undefined || triggers.assignee !== undefined;
    if (triggers.prompt && !waitsForName)
        return { trigger: { kind: 'prompt' } };
    if (isNewText)
        return { ignored: 'not_a_command' };
    return { ignored: event.comment ? 'not_created' : 'unsupported_event' };
}
function newText(event) {
    return event.comment?.body ?? event.thread?.body ?? '';
}
function namedTrigger(event, triggers) {
    if (event.action === 'labeled' && triggers.label !== undefined) {
        return sameName(event.label, triggers.label)
            ? { trigger: { kind: 'label' } }
            : { ignored: 'label_mismatch' };
    }
    if (event.action === 'assigned' && triggers.assignee !== undefined) {
        return sameName(event.assignee, triggers.assignee)
            ? { trigger: { kind: 'assignee' } }
            : { ignored: 'assignee_mismatch' };
    }
    return undefined;
}
/** Logins and labels are the same in any case; a leading `@` is how people write logins. */
function sameName(one, other) {
    if (one === undefined || other === undefined)
        return false;
    return one.replace(/^@/, '').toLowerCase() === other.replace(/^@/, '').toLowerCase();
}


/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		id: moduleId,
/******/ 		loaded: false,
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Flag the module as loaded
/******/ 	module.loaded = true;
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/******/ // expose the modules object (__webpack_modules__)
/******/ __nccwpck_require__.m = __webpack_modules__;
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/async module */
/******/ (() => {
/******/ 	var webpackQueues = typeof Symbol === "function" ? Symbol("webpack queues") : "__webpack_queues__";
/******/ 	var webpackExports = typeof Symbol === "function" ? Symbol("webpack exports") : "__webpack_exports__";
/******/ 	var webpackError = typeof Symbol === "function" ? Symbol("webpack error") : "__webpack_error__";
/******/ 	var resolveQueue = (queue) => {
/******/ 		if(queue && queue.d < 1) {
/******/ 			queue.d = 1;
/******/ 			queue.forEach((fn) => (fn.r--));
/******/ 			queue.forEach((fn) => (fn.r-- ? fn.r++ : fn()));
/******/ 		}
/******/ 	}
/******/ 	var wrapDeps = (deps) => (deps.map((dep) => {
/******/ 		if(dep !== null && typeof dep === "object") {
/******/ 			if(dep[webpackQueues]) return dep;
/******/ 			if(dep.then) {
/******/ 				var queue = [];
/******/ 				queue.d = 0;
/******/ 				dep.then((r) => {
/******/ 					obj[webpackExports] = r;
/******/ 					resolveQueue(queue);
/******/ 				}, (e) => {
/******/ 					obj[webpackError] = e;
/******/ 					resolveQueue(queue);
/******/ 				});
/******/ 				var obj = {};
/******/ 				obj[webpackQueues] = (fn) => (fn(queue));
/******/ 				return obj;
/******/ 			}
/******/ 		}
/******/ 		var ret = {};
/******/ 		ret[webpackQueues] = x => {};
/******/ 		ret[webpackExports] = dep;
/******/ 		return ret;
/******/ 	}));
/******/ 	__nccwpck_require__.a = (module, body, hasAwait) => {
/******/ 		var queue;
/******/ 		hasAwait && ((queue = []).d = -1);
/******/ 		var depQueues = new Set();
/******/ 		var exports = module.exports;
/******/ 		var currentDeps;
/******/ 		var outerResolve;
/******/ 		var reject;
/******/ 		var promise = new Promise((resolve, rej) => {
/******/ 			reject = rej;
/******/ 			outerResolve = resolve;
/******/ 		});
/******/ 		promise[webpackExports] = exports;
/******/ 		promise[webpackQueues] = (fn) => (queue && fn(queue), depQueues.forEach(fn), promise["catch"](x => {}));
/******/ 		module.exports = promise;
/******/ 		body((deps) => {
/******/ 			currentDeps = wrapDeps(deps);
/******/ 			var fn;
/******/ 			var getResult = () => (currentDeps.map((d) => {
/******/ 				if(d[webpackError]) throw d[webpackError];
/******/ 				return d[webpackExports];
/******/ 			}))
/******/ 			var promise = new Promise((resolve) => {
/******/ 				fn = () => (resolve(getResult));
/******/ 				fn.r = 0;
/******/ 				var fnQueue = (q) => (q !== queue && !depQueues.has(q) && (depQueues.add(q), q && !q.d && (fn.r++, q.push(fn))));
/******/ 				currentDeps.map((dep) => (dep[webpackQueues](fnQueue)));
/******/ 			});
/******/ 			return fn.r ? promise : getResult();
/******/ 		}, (err) => ((err ? reject(promise[webpackError] = err) : outerResolve(exports)), resolveQueue(queue)));
/******/ 		queue && queue.d < 0 && (queue.d = 0);
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/create fake namespace object */
/******/ (() => {
/******/ 	var getProto = Object.getPrototypeOf ? (obj) => (Object.getPrototypeOf(obj)) : (obj) => (obj.__proto__);
/******/ 	var leafPrototypes;
/******/ 	// create a fake namespace object
/******/ 	// mode & 1: value is a module id, require it
/******/ 	// mode & 2: merge all properties of value into the ns
/******/ 	// mode & 4: return value when already ns object
/******/ 	// mode & 16: return value when it's Promise-like
/******/ 	// mode & 8|1: behave like require
/******/ 	__nccwpck_require__.t = function(value, mode) {
/******/ 		if(mode & 1) value = this(value);
/******/ 		if(mode & 8) return value;
/******/ 		if(typeof value === 'object' && value) {
/******/ 			if((mode & 4) && value.__esModule) return value;
/******/ 			if((mode & 16) && typeof value.then === 'function') return value;
/******/ 		}
/******/ 		var ns = Object.create(null);
/******/ 		__nccwpck_require__.r(ns);
/******/ 		var def = {};
/******/ 		leafPrototypes = leafPrototypes || [null, getProto({}), getProto([]), getProto(getProto)];
/******/ 		for(var current = mode & 2 && value; typeof current == 'object' && !~leafPrototypes.indexOf(current); current = getProto(current)) {
/******/ 			Object.getOwnPropertyNames(current).forEach((key) => (def[key] = () => (value[key])));
/******/ 		}
/******/ 		def['default'] = () => (value);
/******/ 		__nccwpck_require__.d(ns, def);
/******/ 		return ns;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/ensure chunk */
/******/ (() => {
/******/ 	__nccwpck_require__.f = {};
/******/ 	// This file contains only the entry chunk.
/******/ 	// The chunk loading function for additional chunks
/******/ 	__nccwpck_require__.e = (chunkId) => {
/******/ 		return Promise.all(Object.keys(__nccwpck_require__.f).reduce((promises, key) => {
/******/ 			__nccwpck_require__.f[key](chunkId, promises);
/******/ 			return promises;
/******/ 		}, []));
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/get javascript chunk filename */
/******/ (() => {
/******/ 	// This function allow to reference async chunks
/******/ 	__nccwpck_require__.u = (chunkId) => {
/******/ 		// return url for filenames based on template
/******/ 		return "" + chunkId + ".index.js";
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/******/ /* webpack/runtime/make namespace object */
/******/ (() => {
/******/ 	// define __esModule on exports
/******/ 	__nccwpck_require__.r = (exports) => {
/******/ 		if(typeof Symbol !== 'undefined' && Symbol.toStringTag) {
/******/ 			Object.defineProperty(exports, Symbol.toStringTag, { value: 'Module' });
/******/ 		}
/******/ 		Object.defineProperty(exports, '__esModule', { value: true });
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/node module decorator */
/******/ (() => {
/******/ 	__nccwpck_require__.nmd = (module) => {
/******/ 		module.paths = [];
/******/ 		if (!module.children) module.children = [];
/******/ 		return module;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/import chunk loading */
/******/ (() => {
/******/ 	// no baseURI
/******/ 	
/******/ 	// object to store loaded and loading chunks
/******/ 	// undefined = chunk not loaded, null = chunk preloaded/prefetched
/******/ 	// [resolve, Promise] = chunk loading, 0 = chunk loaded
/******/ 	var installedChunks = {
/******/ 		792: 0
/******/ 	};
/******/ 	
/******/ 	var installChunk = (data) => {
/******/ 		var {ids, modules, runtime} = data;
/******/ 		// add "modules" to the modules object,
/******/ 		// then flag all "ids" as loaded and fire callback
/******/ 		var moduleId, chunkId, i = 0;
/******/ 		for(moduleId in modules) {
/******/ 			if(__nccwpck_require__.o(modules, moduleId)) {
/******/ 				__nccwpck_require__.m[moduleId] = modules[moduleId];
/******/ 			}
/******/ 		}
/******/ 		if(runtime) runtime(__nccwpck_require__);
/******/ 		for(;i < ids.length; i++) {
/******/ 			chunkId = ids[i];
/******/ 			if(__nccwpck_require__.o(installedChunks, chunkId) && installedChunks[chunkId]) {
/******/ 				installedChunks[chunkId][0]();
/******/ 			}
/******/ 			installedChunks[ids[i]] = 0;
/******/ 		}
/******/ 	
/******/ 	}
/******/ 	
/******/ 	__nccwpck_require__.f.j = (chunkId, promises) => {
/******/ 			// import() chunk loading for javascript
/******/ 			var installedChunkData = __nccwpck_require__.o(installedChunks, chunkId) ? installedChunks[chunkId] : undefined;
/******/ 			if(installedChunkData !== 0) { // 0 means "already installed".
/******/ 	
/******/ 				// a Promise means "currently loading".
/******/ 				if(installedChunkData) {
/******/ 					promises.push(installedChunkData[1]);
/******/ 				} else {
/******/ 					if(true) { // all chunks have JS
/******/ 						// setup Promise in chunk cache
/******/ 						var promise = import("./" + __nccwpck_require__.u(chunkId)).then(installChunk, (e) => {
/******/ 							if(installedChunks[chunkId] !== 0) installedChunks[chunkId] = undefined;
/******/ 							throw e;
/******/ 						});
/******/ 						var promise = Promise.race([promise, new Promise((resolve) => (installedChunkData = installedChunks[chunkId] = [resolve]))])
/******/ 						promises.push(installedChunkData[1] = promise);
/******/ 					}
/******/ 				}
/******/ 			}
/******/ 	};
/******/ 	
/******/ 	// no prefetching
/******/ 	
/******/ 	// no preloaded
/******/ 	
/******/ 	// no external install chunk
/******/ 	
/******/ 	// no on chunks loaded
/******/ })();
/******/ 
/************************************************************************/
/******/ 
/******/ // startup
/******/ // Load entry module and return exports
/******/ // This entry module used 'module' so it can't be inlined
/******/ var __webpack_exports__ = __nccwpck_require__(1542);
/******/ __webpack_exports__ = await __webpack_exports__;
/******/ 
