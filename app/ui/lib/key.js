// The API key: of this tab only, gone with it.
const NAME = "foreword.key";
const listeners = new Set();
let wanted = false;
let refused = false;

export const key = () => sessionStorage.getItem(NAME);
/** Nothing else can be sent in a header. */
export const canBeKey = (text) => /^[\x21-\x7e]+$/.test(text);
export const isWanted = () => wanted;
export const wasRefused = () => refused;

function changed() {
  listeners.forEach((tell) => tell());
}

export function setKey(value) {
  if (value) sessionStorage.setItem(NAME, value);
  else sessionStorage.removeItem(NAME);
  wanted = !value && wanted;
  changed();
}

/** The server asks for one, or does not know the one that it got: `used`, unless there is another by now. */
export function askForKey(used) {
  if (wanted || used !== key()) return;
  wanted = true;
  refused = Boolean(key());
  changed();
}

export function onKey(tell) {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
