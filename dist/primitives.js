import { c as guid, g as string, m as record, n as _enum, o as boolean, p as object, t as datetime } from "./vendor-zod.js";
// src/contract/primitives.ts
/** What is said of a text that {@link isStorable} refuses. */
const UNSTORABLE = "must be well-formed Unicode without NUL";
/** Whether PostgreSQL can store a text at all. */
function isStorable(value) {
	return !value.includes("\0") && value.isWellFormed();
}
/** Schemas cannot be changed, so each is made once: making them is half of what loading this room costs. */
function once(make) {
	const made = /* @__PURE__ */ new Map();
	return (maxLength) => {
		const schema = made.get(maxLength) ?? make(maxLength);
		made.set(maxLength, schema);
		return schema;
	};
}
/** Text of at most `maxLength` UTF-16 units that PostgreSQL can store. */
const text = once((maxLength) => string().max(maxLength).refine(isStorable, UNSTORABLE));
/** Required text: at least one character. */
const filledText = once((maxLength) => string().min(1).max(maxLength).refine(isStorable, UNSTORABLE));
/** Times that PostgreSQL can store: it has no year 0 and no offset of 16 hours. */
const STORABLE_TIME = /^(?!0000).{19}(\.\d{1,32})?(Z|[+-](0\d|1[0-5]):\d\d)$/;
/** RFC 3339 with `Z` or an offset (interface.md 6.1). */
const timestamp = datetime({ offset: true }).refine((value) => STORABLE_TIME.test(value), "must be a time from year 1 on, offset below 16:00");
/** Exactly 22 characters from [A-Za-z0-9] (interface.md 8). */
const environmentId = string().regex(/^[A-Za-z0-9]{22}$/, "must be 22 letters or digits");
const uuid = guid();
/** `owner/repo:path` of a skill (interface.md 4.2). */
const skillSpec = filledText(1024);
/** At most 20 keys of 1–64 `[a-zA-Z0-9._-]`, values of at most 256 bytes (interface.md 2.11). */
const metadata = record(string().regex(/^[a-zA-Z0-9._-]{1,64}$/, "keys are 1–64 of a-z A-Z 0-9 . _ -"), text(256).refine((value) => Buffer.byteLength(value) <= 256, "must be at most 256 bytes")).refine((value) => Object.keys(value).length <= 20, "must have at most 20 keys");
const userProfile = object({
	type: _enum(["user", "service_account"]).optional(),
	uid: string().optional(),
	display_name: string().optional(),
	email: string().optional(),
	photo_url: string().optional()
});
const scope = object({
	type: _enum(["User", "Team"]),
	uid: string().optional()
});
const pageInfo = object({
	has_next_page: boolean(),
	next_cursor: string().optional()
});
const runIdentifier = string();
export { runIdentifier as a, text as c, uuid as d, pageInfo as i, timestamp as l, filledText as n, scope as o, metadata as r, skillSpec as s, environmentId as t, userProfile as u };
