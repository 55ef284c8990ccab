export const id = 781;
export const ids = [781];
export const modules = {

/***/ 8781:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   ownMetadata: () => (/* binding */ ownMetadata)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2857);
/* harmony import */ var _contract_primitives_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9085);


/** Input `metadata`: YAML reads `42` and `true` as such, metadata is text. */
const ownMetadata = zod__WEBPACK_IMPORTED_MODULE_1__/* .record */ .g1P(zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_1__/* .union */ .KCZ([zod__WEBPACK_IMPORTED_MODULE_1__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_1__/* .number */ .aig(), zod__WEBPACK_IMPORTED_MODULE_1__/* .boolean */ .zMY()]).transform(String))
    .pipe(_contract_primitives_js__WEBPACK_IMPORTED_MODULE_0__/* .metadata */ .yu);


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
