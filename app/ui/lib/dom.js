// How the page is written: components of Preact, in template strings.
import { Fragment, h, render } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export {
  useCallback, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState,
} from "../vendor/hooks.js";
export { Fragment, render };
export const html = htm.bind(h);
export const cx = (...names) => names.filter(Boolean).join(" ");
