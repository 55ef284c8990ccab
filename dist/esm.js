export { t as Validator } from "./vendor-json-schema.js";
