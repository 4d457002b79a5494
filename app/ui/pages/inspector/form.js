// What is asked, and how.
import { html } from "../../lib/dom.js";
import { get } from "../../lib/api.js";
import { title } from "../../lib/format.js";
import { useLoad } from "../../lib/load.js";
import { Button, Field } from "../../parts/basics.js";
import { ROLES, scaled, TYPES } from "./asking.js";

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

function Choices({ legend, names, chosen, onChange }) {
  const flip = (name) => onChange(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return html`<fieldset class="choices"><legend>${legend}</legend>
    ${names.map((name) => html`<label key=${name} class="choice"><input type="checkbox" checked=${chosen.includes(name)}
      onChange=${() => flip(name)} /><span>${name}</span></label>`)}
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
  ["budget", "Budget, in tokens", "", "number", { min: 1, placeholder: "as flagged" }],
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

export function Form({ settings, onChange, onWeigh, onRun, busy, user }) {
  const set = (some) => onChange({ ...settings, ...some });
  const submit = (event) => {
    event?.preventDefault();
    onRun();
  };
  const onKeyDown = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  const field = text(settings, set);
  const list = useLoad((signal) => get("/conversations", { user_id: user, limit: 100 }, signal), [user]);
  const conversations = { all: list.data?.items || [], settings, set };
  return html`<form class="asking card" aria-label="Question" onSubmit=${submit}>
    <${Field} label="Question" id="query">
      <textarea id="query" data-find rows="3" value=${settings.query} required placeholder="Which database did we pick?"
        onInput=${(event) => set({ query: event.currentTarget.value })} onKeyDown=${onKeyDown}></textarea><//>
    <${Button} kind="main" type="submit" busy=${busy}>Build the context<//>
    <${Weights} weights=${settings.weights} onWeigh=${onWeigh} />
    <${Running} ...${conversations} />
    <div class="two">${BOUNDS.map(field)}</div>
    <details><summary>Filters</summary>
      <${Choices} legend="Types" names=${TYPES} chosen=${settings.types} onChange=${(types) => set({ types })} />
      <${Choices} legend="Said by" names=${ROLES} chosen=${settings.roles} onChange=${(roles) => set({ roles })} />
      <${Several} id="inside" label="In these conversations only" ...${conversations} />
      <${Several} id="outside" label="Not in these conversations" ...${conversations} />
      ${FILTERS.map(field)}
    </details>
  </form>`;
}
