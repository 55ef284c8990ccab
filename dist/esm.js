export { t as Validator, a as dereference, i as format } from "./vendor-json-schema.js";
