// What is asked, and how.
import { html, useRef, useState } from "../../lib/dom.js";
import { get } from "../../lib/api.js";
import { title, typeName } from "../../lib/format.js";
import { useLoad, useResting } from "../../lib/load.js";
import { Button, Field } from "../../parts/basics.js";
import { BEGIN, ROLES, scaled, TYPES } from "./asking.js";

const OFFERED = 100;
const WEIGHTS = [
  ["relevance", "How well it fits the question"],
  ["recency", "How new it is"],
  ["importance", "How important it was said to be"],
];

function Weights({ weights, onWeigh }) {
  const shares = scaled(weights);
  const move = (name, resting) => (event) => {
    const next = { ...weights, [name]: Number(event.currentTarget.value) };
    // With nothing at all there is no order: the last weight stays a little above zero.
    if (Object.values(next).every((each) => each === 0)) next[name] = 0.05;
    onWeigh(next, { resting });
  };
  return html`<fieldset class="weights"><legend>Weights</legend>
    ${WEIGHTS.map(([name, hint]) => html`<div class="weight" key=${name}>
      <label for=${`weight-${name}`} title=${hint}>${name}</label>
      <input type="range" id=${`weight-${name}`} min="0" max="1" step="0.05" value=${weights[name]}
        aria-valuetext=${`${Math.round(shares[name] * 100)} percent`}
        onInput=${move(name, false)} onChange=${move(name, true)} />
      <output for=${`weight-${name}`}>${Math.round(shares[name] * 100)} %</output>
    </div>`)}
  </fieldset>`;
}

function Choices({ legend, names, told = (name) => name, chosen, onChange }) {
  const flip = (name) => onChange(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return html`<fieldset class="choices"><legend>${legend}</legend>
    ${names.map((name) => html`<label key=${name} class="choice"><input type="checkbox" checked=${chosen.includes(name)}
      onChange=${() => flip(name)} /><span>${told(name)}</span></label>`)}
  </fieldset>`;
}

/** What is chosen of a list of conversations, with the titles by which it is told. */
const chosenOf = ({ selectedOptions }, titles) => {
  const all = [...selectedOptions].filter((each) => each.value);
  return [all.map((each) => each.value), { ...titles, ...Object.fromEntries(all.map((each) => [each.value, each.text])) }];
};

function Running({ all, settings, set }) {
  const choose = ({ currentTarget }) => {
    const [[conversation = ""], titles] = chosenOf(currentTarget, settings.titles);
    set({ conversation, titles });
  };
  return html`<${Field} label="Running conversation" id="conversation">
    <select id="conversation" value=${settings.conversation} onChange=${choose}>
      <option value="">none</option>
      ${all.map((each) => html`<option key=${each.id} value=${each.id}>${title(each)}</option>`)}
    </select><//>`;
}

function Several({ id, label, all, settings, set }) {
  const choose = ({ currentTarget }) => {
    const [ids, titles] = chosenOf(currentTarget, settings.titles);
    set({ [id]: ids, titles });
  };
  return html`<${Field} label=${label} id=${id} hint="Several, with Ctrl; none means any.">
    <select id=${id} multiple size="4" aria-describedby=${`${id}-hint`} onChange=${choose}>
      ${all.map((each) => html`<option key=${each.id} value=${each.id} selected=${settings[id].includes(each.id)}>${title(each)}</option>`)}
    </select><//>`;
}

const text = (settings, set) => ([name, label, hint, type = "text", more = {}]) =>
  html`<${Field} key=${name} label=${label} id=${name} hint=${hint}>
    <input id=${name} type=${type} value=${settings[name]} aria-describedby=${hint ? `${name}-hint` : undefined}
      onInput=${(event) => set({ [name]: event.currentTarget.value })} ...${more} /><//>`;

const BOUNDS = [
  ["budget", "Budget, in tokens", "", "number", { min: 1, placeholder: "as set" }],
  ["items", "Items at most", "", "number", { min: 1, max: 500 }],
  ["history", "Messages of history", "", "number", { min: 0, max: 1000 }],
  ["minScore", "Least score", "", "number", { min: 0, max: 1.5, step: 0.05 }],
];
const FILTERS = [
  ["labels", "Labels", "Several, by commas."],
  ["preferred", "Preferred labels", "Their scores count 1.5 times."],
  ["tags", "Tags", "Several, by commas."],
  ["folder", "Folder", ""],
  ["without", "Without these words", "Several, by commas."],
  ["after", "Said from", "", "datetime-local"],
  ["before", "Said before", "", "datetime-local"],
  ["asOf", "As of", "As if it were that moment.", "datetime-local"],
];

/** Those that the lists offer: some of the newest, or of those called so; and what is chosen already. */
function useConversations(user, { conversation, inside, outside, titles }) {
  const [text, setText] = useState("");
  const called = useResting(text);
  const list = useLoad((signal) => get("/conversations", { user_id: user, q: called, limit: OFFERED }, signal), [user, called]);
  const had = useRef({});
  if (list.data || had.current.user !== user) had.current = { user, items: list.data?.items || [] };
  const { items } = had.current;
  const chosen = [...new Set([conversation, ...inside, ...outside])].filter((id) => id && !items.some((each) => each.id === id));
  const isLong = Boolean(text || called || list.data?.next_cursor);
  return { all: [...chosen.map((id) => ({ id, label: titles[id] })), ...items], finding: { isLong, text, setText } };
}

const Finding = ({ isLong, text, setText }) => isLong && html`<${Field} label="Conversations called" id="called" hint=${`Of very many, ${OFFERED} are offered below.`}>
  <input id="called" type="search" value=${text} aria-describedby="called-hint" onInput=${(event) => setText(event.currentTarget.value)}
    onKeyDown=${(event) => event.key === "Enter" && event.preventDefault()} /><//>`;

const FILTERED = ["types", "roles", "inside", "outside", ...FILTERS.map(([name]) => name)];
const filtersOf = (settings) => FILTERED.filter((name) => settings[name].length > 0).length;
const isUsual = (settings) => JSON.stringify({ ...settings, query: "", titles: {} }) === JSON.stringify(BEGIN);

export function Form({ settings, onChange, onWeigh, onUsual, onRun, busy, user }) {
  const set = (some) => onChange({ ...settings, ...some });
  const submit = (event) => {
    event?.preventDefault();
    onRun();
  };
  const onKeyDown = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  const field = text(settings, set);
  const { all, finding } = useConversations(user, settings);
  const conversations = { all, settings, set };
  const filters = filtersOf(settings);
  return html`<form class="asking card" aria-label="Question" onSubmit=${submit}>
    <${Field} label="Question" id="query">
      <textarea id="query" data-find rows="3" value=${settings.query} required placeholder="Which database did we pick?"
        onInput=${(event) => set({ query: event.currentTarget.value })} onKeyDown=${onKeyDown}></textarea><//>
    <${Button} kind="main" type="submit" busy=${busy}>Build the context<//>
    <${Weights} weights=${settings.weights} onWeigh=${onWeigh} />
    <${Finding} ...${finding} />
    <${Running} ...${conversations} />
    <div class="two">${BOUNDS.map(field)}</div>
    <details><summary>Filters${filters > 0 && ` (${filters} set)`}</summary>
      <${Choices} legend="Types" names=${TYPES} told=${typeName} chosen=${settings.types} onChange=${(types) => set({ types })} />
      <${Choices} legend="Said by" names=${ROLES} chosen=${settings.roles} onChange=${(roles) => set({ roles })} />
      <${Several} id="inside" label="In these conversations only" ...${conversations} />
      <${Several} id="outside" label="Not in these conversations" ...${conversations} />
      ${FILTERS.map(field)}
    </details>
    ${!isUsual(settings) && html`<button type="button" class="link" onClick=${onUsual}>Back to the usual settings</button>`}
  </form>`;
}
