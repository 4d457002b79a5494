// What this tab may do: every answer tells it, of the key that was used.
import { key, onKey } from "./key.js";

let scopes = null;

onKey(() => {
  scopes = null;
});

/** `told`: by the header of an answer; `used`: the key that it was asked for with. */
export function noteScopes(told, used) {
  if (told !== null && used === key()) scopes = told.split(", ");
}

/** Whether what only admins are told may be asked for; null: there was no answer yet. */
export const mayGovern = () => scopes && scopes.includes("admin");
