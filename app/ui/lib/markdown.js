// What was said, as a page part. It may be hostile: nothing of it is markup until it is sanitized.
import createDOMPurify from "../vendor/purify.js";
import { marked } from "../vendor/marked.js";
import { colour } from "./code.js";

const ALLOWED = {
  ALLOWED_TAGS: [
    ..."a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre strong".split(" "),
    ..."table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: ["href", "start", "data-language"],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  ADD_URI_SAFE_ATTR: ["start", "data-language"],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  RETURN_DOM_FRAGMENT: true,
};

const escaped = (text) =>
  text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);

const said = {
  // Tags that somebody typed are what was said, and are shown as such.
  html: ({ text, block }) => (block ? `<p>${escaped(text)}</p>` : escaped(text)),
  image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || "image")}</a>`,
  code: ({ text, lang }) =>
    `<pre><code data-language="${escaped((lang || "").split(/\s/)[0])}">${escaped(text)}</code></pre>`,
  checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
};
marked.use({ gfm: true, renderer: said });

// Links leave in a tab of their own, which knows nothing of this one. Headings stay below ours.
// Lists and tables begin where their script does.
function tidy(fragment) {
  for (const block of fragment.querySelectorAll("ul, ol, table, blockquote")) block.dir = "auto";
  for (const link of fragment.querySelectorAll("a")) {
    if (!link.getAttribute("href")) continue;
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
  }
  for (const heading of fragment.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    const strong = document.createElement("p");
    strong.className = "said-heading";
    strong.append(...heading.childNodes);
    heading.replaceWith(strong);
  }
  return fragment;
}

/** A fragment of only what is on the list above. */
export function fromMarkdown(text) {
  const fragment = tidy(createDOMPurify.sanitize(marked.parse(text), ALLOWED));
  for (const code of fragment.querySelectorAll("code[data-language]")) colour(code);
  return fragment;
}
