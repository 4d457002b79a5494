// The service, as the page asks it.
import { askForKey, canBeKey, key } from "./key.js";
import { noteScopes } from "./scopes.js";

/** What the service answers instead: a problem document, or no answer at all (status 0). */
export class Problem extends Error {
  constructor(status, document) {
    super(document.title || "The request failed");
    this.status = status;
    this.slug = (document.type || "").split("/").pop();
    this.detail = document.detail || "";
    this.errors = document.errors || [];
    this.requestId = document.request_id || "";
  }
}

function url(path, query = {}) {
  const given = Object.entries(query).filter(([, v]) => v !== undefined && v !== null && v !== "");
  const search = new URLSearchParams(given).toString();
  return path + (search && `?${search}`);
}

/** The answer, and the key that it was asked for with. */
async function send(method, path, { query, body, headers, signal } = {}) {
  const given = { Accept: "application/json", ...headers };
  const used = key();
  if (used && !canBeKey(used)) {
    askForKey(used);
    throw new Problem(401, { title: "The key of this tab cannot be one" });
  }
  if (used) given.Authorization = `Bearer ${used}`;
  if (body !== undefined) given["Content-Type"] = "application/json";
  const wire = { method, headers: given, signal, cache: "no-store" };
  try {
    return [await fetch(url(path, query), { ...wire, body: body && JSON.stringify(body) }), used];
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { title: "The service does not answer", detail: "Is it running?" });
  }
}

/** What an answer says. One that ends in the middle says nothing, whatever its status promised. */
async function read(answer) {
  try {
    return await answer.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (answer.ok) throw new Problem(0, { title: "The answer broke off", detail: "Ask again." });
    return {};
  }
}

async function ask(method, path, options) {
  const [answer, used] = await send(method, path, options);
  noteScopes(answer.headers.get("X-Foreword-Scopes"), used);
  const told = await read(answer);
  if (answer.ok) return told;
  if (answer.status === 401) askForKey(used);
  throw new Problem(answer.status, told);
}

let changes = 0;

/** Rises with all that this tab changed or erased: what was answered before may show what is gone. */
export const changesSoFar = () => changes;

const changing = (method) => (path, body) => {
  changes += 1;
  return ask(method, path, { body });
};

export const get = (path, query, signal) => ask("GET", path, { query, signal });
export const post = (path, body, options) => ask("POST", path, { body, ...options });
export const put = changing("PUT");
export const patch = changing("PATCH");
export const erase = changing("DELETE");
export const part = (text) => encodeURIComponent(text);
