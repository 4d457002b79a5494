// Colours for code; a language is loaded when the first code of it is shown.
import hljs from "../vendor/highlight/core.js";
import createDOMPurify from "../vendor/purify.js";

const NAMES = {
  bash: "bash sh shell zsh console", c: "c h", cpp: "cpp c++ cc hpp", csharp: "csharp cs c#",
  css: "css scss", diff: "diff patch", dockerfile: "dockerfile docker", go: "go golang",
  java: "java", javascript: "javascript js jsx mjs", json: "json jsonc", kotlin: "kotlin kt",
  markdown: "markdown md", php: "php", python: "python py python3", ruby: "ruby rb",
  rust: "rust rs", sql: "sql sqlite postgresql", swift: "swift",
  typescript: "typescript ts tsx", xml: "xml html svg vue", yaml: "yaml yml",
};
const KNOWN = new Map(
  Object.entries(NAMES).flatMap(([name, spelled]) => spelled.split(" ").map((s) => [s, name])),
);
const LONGEST = 50_000;
const loading = new Map();
const SPANS = { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], RETURN_DOM_FRAGMENT: true };

function load(name) {
  if (!loading.has(name)) {
    const module = import(`../vendor/highlight/${name}.js`);
    loading.set(name, module.then((language) => hljs.registerLanguage(name, language.default)));
  }
  return loading.get(name);
}

/** Colours `element` in place, soon, if its `data-language` is known; else leaves it as it is. */
export async function colour(element) {
  const name = KNOWN.get(element.dataset.language.toLowerCase());
  const code = element.textContent;
  if (!name || code.length > LONGEST) return;
  try {
    await load(name);
    const { value } = hljs.highlight(code, { language: name, ignoreIllegals: true });
    element.replaceChildren(createDOMPurify.sanitize(value, SPANS));
  } catch {
    // Plain code is code all the same.
  }
}
