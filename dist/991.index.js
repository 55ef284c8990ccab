export const id = 991;
export const ids = [991];
export const modules = {

/***/ 3991:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   agentConfig: () => (/* binding */ agentConfig)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2857);
/* harmony import */ var _primitives_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8995);


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


/***/ })

};
