export const id = 457;
export const ids = [457];
export const modules = {

/***/ 9457:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   agentConfig: () => (/* binding */ agentConfig)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2857);
/* harmony import */ var _primitives_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9085);


const mcpServer = zod__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({
    warp_id: zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP().optional(),
    command: zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP().optional(),
    url: zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP().optional(),
    args: zod__WEBPACK_IMPORTED_MODULE_1__/* .array */ .YOg((0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(32_768)).max(256).optional(),
    env: zod__WEBPACK_IMPORTED_MODULE_1__/* .record */ .g1P(zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(), (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(32_768)).optional(),
    headers: zod__WEBPACK_IMPORTED_MODULE_1__/* .record */ .g1P(zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(), (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(32_768)).optional(),
})
    .refine((server) => [server.warp_id, server.command, server.url].filter(Boolean).length === 1, 'needs exactly one of warp_id, command, url');
/** How an agent is run: `config` of a new run, `agent_config` of a run or schedule (wire-shapes.md 3.2). */
const agentConfig = zod__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({
    name: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(512).optional(),
    model_id: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(256).optional(),
    base_prompt: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(262_144).optional(),
    environment_id: _primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .environmentId */ .Xo.optional(),
    runner_id: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(256).optional(),
    skill_spec: _primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .skillSpec */ .Xt.optional(),
    skills: zod__WEBPACK_IMPORTED_MODULE_1__/* .array */ .YOg(_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .skillSpec */ .Xt).max(32).optional(),
    mcp_servers: zod__WEBPACK_IMPORTED_MODULE_1__/* .record */ .g1P((0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .filledText */ .Uq)(256), mcpServer).optional(),
    computer_use_enabled: zod__WEBPACK_IMPORTED_MODULE_1__/* .boolean */ .zMY().optional(),
    computer_use_model_id: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(256).optional(),
    idle_timeout_minutes: zod__WEBPACK_IMPORTED_MODULE_1__/* .int */ .Whr().min(0).max(60).optional(),
    worker_host: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(256).optional(),
    harness: zod__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({
        /** A profile's name; the public default `oz` means the operator's default profile (rules.md). */
        type: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .filledText */ .Uq)(64).optional(),
        model_id: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(256).optional(),
        reasoning_level: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(64).optional(),
    })
        .optional(),
    harness_auth_secrets: zod__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({
        claude_auth_secret_name: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(256).optional(),
        codex_auth_secret_name: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(256).optional(),
    })
        .optional(),
    session_sharing: zod__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({ public_access: zod__WEBPACK_IMPORTED_MODULE_1__/* ["enum"] */ .k5n(['VIEWER', 'EDITOR']).optional() }).optional(),
    memory_stores: zod__WEBPACK_IMPORTED_MODULE_1__/* .array */ .YOg(zod__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({
        uid: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .filledText */ .Uq)(256),
        access: zod__WEBPACK_IMPORTED_MODULE_1__/* ["enum"] */ .k5n(['read_write', 'read_only']),
        instructions: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .filledText */ .Uq)(65_536),
    }))
        .max(64)
        .optional(),
    inference_providers: zod__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({
        aws: zod__WEBPACK_IMPORTED_MODULE_1__/* .object */ .Ikc({
            disabled: zod__WEBPACK_IMPORTED_MODULE_1__/* .boolean */ .zMY().optional(),
            role_arn: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(2048).optional(),
            region: (0,_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .text */ .Qq)(64).optional(),
        })
            .optional(),
    })
        .optional(),
    credential_strategy: zod__WEBPACK_IMPORTED_MODULE_1__/* ["enum"] */ .k5n(['CREATOR', 'EXECUTOR']).nullable().optional(),
});


/***/ }),

/***/ 9085:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Iq: () => (/* binding */ pageInfo),
/* harmony export */   Qg: () => (/* binding */ METADATA_MAX_FILTER_PAIRS),
/* harmony export */   Qq: () => (/* binding */ text),
/* harmony export */   Uq: () => (/* binding */ filledText),
/* harmony export */   Wt: () => (/* binding */ PAGE_LIMIT),
/* harmony export */   Xo: () => (/* binding */ environmentId),
/* harmony export */   Xt: () => (/* binding */ skillSpec),
/* harmony export */   bN: () => (/* binding */ runIdentifier),
/* harmony export */   uR: () => (/* binding */ uuid),
/* harmony export */   vE: () => (/* binding */ timestamp),
/* harmony export */   vK: () => (/* binding */ userProfile),
/* harmony export */   yu: () => (/* binding */ metadata),
/* harmony export */   z8: () => (/* binding */ scope)
/* harmony export */ });
/* unused harmony export METADATA_MAX_KEYS */
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2857);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4377);

const UNSTORABLE = 'must be well-formed Unicode without NUL';
function isStorable(value) {
    return !value.includes('\0') && value.isWellFormed();
}
/** Text of at most `maxLength` UTF-16 units that PostgreSQL can store. */
function text(maxLength) {
    return zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().max(maxLength).refine(isStorable, UNSTORABLE);
}
/** Required text: at least one character. */
function filledText(maxLength) {
    return zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().min(1).max(maxLength).refine(isStorable, UNSTORABLE);
}
/** RFC 3339 with `Z` or an offset (wire-shapes.md 1.1). */
const timestamp = zod__WEBPACK_IMPORTED_MODULE_1__/* .datetime */ .w$({ offset: true });
/** Exactly 22 characters from [A-Za-z0-9] (interface.md 8). */
const environmentId = zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().regex(/^[A-Za-z0-9]{22}$/, 'must be 22 letters or digits');
const uuid = zod__WEBPACK_IMPORTED_MODULE_0__/* .guid */ .OsD();
/** `owner/repo:path` of a skill (interface.md 4.2). */
const skillSpec = filledText(1024);
/** At most 20 keys of 1–64 `[a-zA-Z0-9._-]`, values of at most 256 bytes (wire-shapes.md 3.11). */
const metadata = zod__WEBPACK_IMPORTED_MODULE_0__/* .record */ .g1P(zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().regex(/^[a-zA-Z0-9._-]{1,64}$/, 'keys are 1–64 of a-z A-Z 0-9 . _ -'), text(256).refine((value) => Buffer.byteLength(value) <= 256, 'must be at most 256 bytes'))
    .refine((value) => Object.keys(value).length <= METADATA_MAX_KEYS, 'must have at most 20 keys');
const METADATA_MAX_KEYS = 20;
/** Pairs of one `metadata` filter (interface.md 8). */
const METADATA_MAX_FILTER_PAIRS = 5;
const userProfile = zod__WEBPACK_IMPORTED_MODULE_0__/* .object */ .Ikc({
    type: zod__WEBPACK_IMPORTED_MODULE_0__/* ["enum"] */ .k5n(['user', 'service_account']).optional(),
    uid: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().optional(),
    display_name: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().optional(),
    email: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().optional(),
    photo_url: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().optional(),
});
const scope = zod__WEBPACK_IMPORTED_MODULE_0__/* .object */ .Ikc({ type: zod__WEBPACK_IMPORTED_MODULE_0__/* ["enum"] */ .k5n(['User', 'Team']), uid: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().optional() });
const pageInfo = zod__WEBPACK_IMPORTED_MODULE_0__/* .object */ .Ikc({
    has_next_page: zod__WEBPACK_IMPORTED_MODULE_0__/* .boolean */ .zMY(),
    next_cursor: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().optional(),
});
/** Page bounds of GET /agent/runs (wire-shapes.md 1.4). */
const PAGE_LIMIT = { min: 1, max: 500, default: 20 };
const runIdentifier = zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP();


/***/ })

};
